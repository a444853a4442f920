package io.sluice.cli.message;

import io.sluice.cli.output.BytesText;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/// A received message as a row.
///
/// Stateless.
final class ReceivedText {
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
        row = BytesText.add(row, "key", record.key(), forPeople);
        row = BytesText.add(row, "value", record.value(), forPeople);
        return row.with("headers", headers(record.headers()));
    }

    private static String position(ConsumerRecord<?, ?> record) {
        return record.topic() + "-" + record.partition() + "@" + record.offset();
    }

    /// Header names may repeat; the last one wins here, as it does in most readers.
    private static Fields headers(Headers headers) {
        Fields fields = Fields.none();
        for (Header header : headers) {
            fields = fields.with(header.key(), BytesText.shown(header.value()));
        }
        return fields;
    }
}
