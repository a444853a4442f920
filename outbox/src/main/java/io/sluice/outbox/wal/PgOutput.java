package io.sluice.outbox.wal;

import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.reading.HeadersJson;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

    /// PostgreSQL counts microseconds from here.
    private static final Instant EPOCH = Instant.parse("2000-01-01T00:00:00Z");

    private static final int ORD = 0;
    private static final int TX = 1;
    private static final int ID = 2;
    private static final int KEY = 3;
    private static final int HEADERS = 4;
    private static final int PAYLOAD = 5;
    private static final int NOT_NEEDED = -1;

    /// Of the columns above, as `reading.EventRows` asks for them.
    private static final Set<Integer> READ_AS_TEXT = Set.of(ID, KEY, HEADERS);

    /// The columns that are needed, in the order of the numbers above.
    private final List<String> needed;

    /// Types' numbers, the same in every database.
    private static final int BYTEA = 17;

    private static final int CHAR_OF_LENGTH = 1042;

    /// For every relation, what its columns are to us: a number above or none.
    private final Map<Integer, int[]> layouts = new HashMap<>();

    /// Relations whose payload is not text.
    private final Set<Integer> binary = new HashSet<>();

    /// For every relation, those of type `char(n)`: the stream brings them filled up with blanks, which are not part of the value. Read from the table as text they come
    /// without, and it must not depend on who reads which key an event has, and so which lane and partition.
    private final Map<Integer, Set<Integer>> filledUp = new HashMap<>();

    private Instant committedAt = EPOCH;

    PgOutput(OutboxTable table) {
        this.needed =
                List.of("ord", "tx", table.id(), table.key(), table.headers(), table.payload());
    }

    /// Values come as the session has them written, which the database, the user or the connection may have changed.
    static void prepare(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET bytea_output = 'hex'");
        }
    }

    Optional<Change> read(ByteBuffer message) {
        return switch (message.get()) {
            case 'B' -> {
                message.getLong();
                committedAt = EPOCH.plus(message.getLong(), ChronoUnit.MICROS);
                yield Optional.empty();
            }
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
        int[] layout = new int[message.getShort()];
        binary.remove(oid);
        Set<Integer> blanks = new HashSet<>();
        for (int i = 0; i < layout.length; i++) {
            message.get();
            layout[i] = needed.indexOf(string(message));
            int type = message.getInt();
            message.getInt();
            if (layout[i] == PAYLOAD && type == BYTEA) {
                binary.add(oid);
            }
            if (type == CHAR_OF_LENGTH && READ_AS_TEXT.contains(layout[i])) {
                blanks.add(layout[i]);
            }
        }
        layouts.put(oid, layout);
        filledUp.put(oid, blanks);
    }

    private Change insert(ByteBuffer message) {
        int oid = message.getInt();
        int[] layout = layouts.get(oid);
        if (layout == null) {
            throw new IllegalStateException("a row of relation " + oid + ", of which nothing came");
        }
        byte[] @Nullable [] values = values(message, layout);
        for (int column : filledUp.getOrDefault(oid, Set.of())) {
            values[column] = withoutBlanks(values[column]);
        }
        @Nullable String key = values[KEY] == null ? null : text(values[KEY]);
        Event event =
                new Event(
                        number(values[ORD]),
                        LaneHash.lane(text(values[KEY])),
                        text(values[ID]),
                        key,
                        HeadersJson.read(text(values[HEADERS])),
                        payload(values[PAYLOAD], binary.contains(oid)),
                        age());
        return new Change.Row(event, number(values[TX]));
    }

    private byte[] @Nullable [] values(ByteBuffer message, int[] layout) {
        message.get();
        byte[] @Nullable [] values = new byte[needed.size()][];
        int count = message.getShort();
        for (int i = 0; i < count; i++) {
            if (message.get() == 't') {
                int length = message.getInt();
                if (layout[i] == NOT_NEEDED) {
                    message.position(message.position() + length);
                } else {
                    byte[] value = new byte[length];
                    message.get(value);
                    values[layout[i]] = value;
                }
            }
        }
        return values;
    }

    private static String text(byte @Nullable [] value) {
        return value == null ? "" : new String(value, StandardCharsets.UTF_8);
    }

    private static byte @Nullable [] withoutBlanks(byte @Nullable [] value) {
        if (value == null) {
            return null;
        }
        int length = value.length;
        while (length > 0 && value[length - 1] == ' ') {
            length--;
        }
        return Arrays.copyOf(value, length);
    }

    private static long number(byte @Nullable [] value) {
        return Long.parseLong(text(value));
    }

    /// Bytes come as `\x` and digits; a text may begin like that, too.
    private static Event.Payload payload(byte @Nullable [] value, boolean binary) {
        if (value == null) {
            return new Event.Payload(null);
        }
        return new Event.Payload(
                binary ? bytes(new String(value, StandardCharsets.US_ASCII)) : value);
    }

    private static byte[] bytes(String text) {
        if (!text.startsWith("\\x")) {
            throw new IllegalStateException(
                    "bytes do not come as \\x and digits: bytea_output is not hex");
        }
        return HexFormat.of().parseHex(text, 2, text.length());
    }

    /// Since COMMIT; here it is this host's clock that it is compared with.
    private long age() {
        return Math.max(0, ChronoUnit.MICROS.between(committedAt, Instant.now()));
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
