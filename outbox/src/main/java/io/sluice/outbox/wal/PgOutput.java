package io.sluice.outbox.wal;

import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.reading.HeadersJson;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads messages of the `pgoutput` plug-in, protocol version 1.
///
/// | message | bytes |
/// | --- | --- |
/// | `B` begin | final LSN int64, time int64, xid int32 |
/// | `C` commit | flags int8, LSN int64, end LSN int64, time int64 |
/// | `R` relation | oid int32, schema, name (zero-terminated), identity int8, columns int16: flags int8, name, type int32, modifier int32 |
/// | `I` insert | oid int32, `N`, columns int16: `n` null, `u` unchanged, `t` length int32 and text |
/// | `M` message | flags int8, LSN int64, prefix, length int32 and content |
///
/// All others are of no interest. Owned by the thread that reads the stream.
final class PgOutput {
    static final String MARK = "outbox-mark";

    private static final DateTimeFormatter TIME =
            new DateTimeFormatterBuilder()
                    .appendPattern("yyyy-MM-dd HH:mm:ss")
                    .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
                    .appendOffset("+HH:mm", "+00")
                    .toFormatter(Locale.ROOT);

    private final OutboxTable table;
    private final Map<Integer, List<String>> columns = new HashMap<>();

    PgOutput(OutboxTable table) {
        this.table = table;
    }

    Optional<Change> read(ByteBuffer message) {
        return switch (message.get()) {
            case 'C' -> {
                message.get();
                message.getLong();
                yield Optional.of(new Change.End(message.getLong()));
            }
            case 'R' -> {
                relation(message);
                yield Optional.empty();
            }
            case 'I' -> Optional.of(insert(message));
            case 'M' -> mark(message);
            default -> Optional.empty();
        };
    }

    private void relation(ByteBuffer message) {
        int oid = message.getInt();
        string(message);
        string(message);
        message.get();
        List<String> names = new ArrayList<>();
        int count = message.getShort();
        for (int i = 0; i < count; i++) {
            message.get();
            names.add(string(message));
            message.getLong();
        }
        columns.put(oid, names);
    }

    private Change insert(ByteBuffer message) {
        List<String> names = columns.getOrDefault(message.getInt(), List.of());
        message.get();
        Map<String, byte[]> values = new HashMap<>();
        int count = message.getShort();
        for (int i = 0; i < count; i++) {
            if (message.get() == 't') {
                byte[] text = new byte[message.getInt()];
                message.get(text);
                values.put(names.get(i), text);
            }
        }
        String key = text(values, table.key());
        Event event =
                new Event(
                        Long.parseLong(text(values, "ord")),
                        LaneHash.lane(key),
                        text(values, table.id()),
                        key,
                        HeadersJson.read(text(values, table.headers())),
                        payload(values.get(table.payload())),
                        age(text(values, "created_at")));
        return new Change.Row(event, Long.parseLong(text(values, "tx")));
    }

    private static String text(Map<String, byte[]> values, String column) {
        byte[] value = values.get(column);
        return value == null ? "" : new String(value, StandardCharsets.UTF_8);
    }

    /// Bytes come as `\x` and digits.
    private static Event.Payload payload(byte @Nullable [] value) {
        if (value == null) {
            return new Event.Payload(new byte[0]);
        }
        if (value.length >= 2 && value[0] == '\\' && value[1] == 'x') {
            String digits = new String(value, 2, value.length - 2, StandardCharsets.US_ASCII);
            return new Event.Payload(HexFormat.of().parseHex(digits));
        }
        return new Event.Payload(value);
    }

    /// Here it is this host's clock that it is compared with.
    private static long age(String createdAt) {
        try {
            Instant created = OffsetDateTime.parse(createdAt, TIME).toInstant();
            return Math.max(0, ChronoUnit.MICROS.between(created, Instant.now()));
        } catch (DateTimeParseException e) {
            return Event.UNKNOWN_AGE;
        }
    }

    private static Optional<Change> mark(ByteBuffer message) {
        message.get();
        message.getLong();
        String prefix = string(message);
        byte[] content = new byte[message.getInt()];
        message.get(content);
        return prefix.equals(MARK)
                ? Optional.of(new Change.Mark(new String(content, StandardCharsets.US_ASCII)))
                : Optional.empty();
    }

    private static String string(ByteBuffer message) {
        int start = message.position();
        while (message.get() != 0) {
            // to its end
        }
        byte[] bytes = new byte[message.position() - start - 1];
        message.get(start, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
