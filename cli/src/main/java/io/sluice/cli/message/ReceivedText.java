package io.sluice.cli.message;

import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/// A received message as a row. Bytes that are no UTF-8 text are shown in hex to people and in base64, under a key of their
/// own, to programs.
///
/// Stateless.
final class ReceivedText {
    private static final int HEX_SHOWN = 32;

    private ReceivedText() {}

    static Fields row(ConsumerRecord<byte[], byte[]> record, boolean forPeople) {
        Fields row =
                Fields.of("position", Value.text(position(record)))
                        .with("topic", Value.text(record.topic()))
                        .with("partition", Value.count(record.partition()))
                        .with("offset", Value.count(record.offset()))
                        .with(
                                "timestamp",
                                record.timestamp() < 0
                                        ? Value.absent()
                                        : Value.time(Instant.ofEpochMilli(record.timestamp())));
        row = withBytes(row, "key", record.key(), forPeople);
        row = withBytes(row, "value", record.value(), forPeople);
        return row.with("headers", headers(record.headers()));
    }

    static String position(ConsumerRecord<?, ?> record) {
        return record.topic() + "-" + record.partition() + "@" + record.offset();
    }

    private static Fields withBytes(
            Fields row, String field, byte @Nullable [] bytes, boolean forPeople) {
        if (bytes == null) {
            return row.with(field, Value.absent());
        }
        Optional<String> text = text(bytes);
        if (text.isPresent()) {
            return row.with(field, Value.text(text.get()));
        }
        return forPeople
                ? row.with(field, Value.text(hex(bytes)))
                : row.with(field + "Base64", Value.text(Base64.getEncoder().encodeToString(bytes)));
    }

    /// Header names may repeat; the last one wins here, as it does in most readers.
    private static Fields headers(Headers headers) {
        Fields fields = Fields.none();
        for (Header header : headers) {
            byte @Nullable [] bytes = header.value();
            Value value =
                    bytes == null
                            ? Value.absent()
                            : Value.text(text(bytes).orElseGet(() -> hex(bytes)));
            fields = fields.with(header.key(), value);
        }
        return fields;
    }

    /// The bytes as text, if they are some.
    static Optional<String> text(byte[] bytes) {
        try {
            String text =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            return Optional.of(text);
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    private static String hex(byte[] bytes) {
        int shown = Math.min(bytes.length, HEX_SHOWN);
        String digits = HexFormat.of().formatHex(bytes, 0, shown);
        return shown < bytes.length
                ? "0x%s... (%d bytes)".formatted(digits, bytes.length)
                : "0x" + digits;
    }
}
