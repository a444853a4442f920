package io.sluice.kafka.wire;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Struct;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.jspecify.annotations.Nullable;

/// Random content for any of Kafka's schemas, with a liking for the edges.
final class RandomStructs {
    private final Random random;

    RandomStructs(long seed) {
        this.random = new Random(seed);
    }

    Struct struct(Schema schema) {
        return struct(schema, 0);
    }

    private Struct struct(Schema schema, int depth) {
        Struct struct = new Struct(schema);
        for (BoundField field : schema.fields()) {
            if (field.def.type instanceof TaggedFields tagged) {
                struct.set(field, tags(tagged, depth));
            } else {
                struct.set(field, value(field.def.type, depth));
            }
        }
        return struct;
    }

    private NavigableMap<Integer, Object> tags(TaggedFields tagged, int depth) {
        NavigableMap<Integer, Object> values = new TreeMap<>();
        for (Map.Entry<Integer, Field> field : tagged.fields().entrySet()) {
            if (random.nextInt(3) > 0) {
                Object value = value(field.getValue().type, depth + 1);
                if (value != null) {
                    values.put(field.getKey(), value);
                }
            }
        }
        return values;
    }

    private @Nullable Object value(Type type, int depth) {
        if (type.isNullable() && random.nextInt(4) == 0) {
            return null;
        }
        if (type.isArray()) {
            @Nullable Object[] items = new @Nullable Object[count(depth)];
            for (int i = 0; i < items.length; i++) {
                items[i] = value(type.arrayElementType().orElseThrow(), depth + 1);
            }
            return items;
        }
        if (type instanceof Schema schema) {
            return struct(schema, depth + 1);
        }
        return scalar(type);
    }

    /// Mostly few; sometimes so many that a compact count takes two bytes.
    private int count(int depth) {
        if (depth == 0 && random.nextInt(12) == 0) {
            return 126 + random.nextInt(4);
        }
        return random.nextInt(depth > 2 ? 2 : 4);
    }

    private Object scalar(Type type) {
        return switch (type.toString()) {
            case "BOOLEAN" -> random.nextBoolean();
            case "INT8" -> (byte) number(Byte.MIN_VALUE, Byte.MAX_VALUE);
            case "INT16" -> (short) number(Short.MIN_VALUE, Short.MAX_VALUE);
            case "UINT16" -> (int) number(0, 0xffff);
            case "INT32" -> (int) number(Integer.MIN_VALUE, Integer.MAX_VALUE);
            case "UINT32" -> number(0, 0xffffffffL);
            case "INT64" -> number(Long.MIN_VALUE, Long.MAX_VALUE);
            case "FLOAT64" -> random.nextDouble(-1e300, 1e300);
            case "UUID" ->
                    random.nextInt(4) == 0
                            ? Uuid.ZERO_UUID
                            : new Uuid(random.nextLong(), random.nextLong());
            case "STRING", "COMPACT_STRING", "NULLABLE_STRING", "COMPACT_NULLABLE_STRING" -> text();
            case "BYTES", "COMPACT_BYTES", "NULLABLE_BYTES", "COMPACT_NULLABLE_BYTES" ->
                    ByteBuffer.wrap(bytes());
            case "RECORDS", "COMPACT_RECORDS", "NULLABLE_RECORDS", "COMPACT_NULLABLE_RECORDS" ->
                    MemoryRecords.readableRecords(ByteBuffer.wrap(bytes()));
            default -> throw new AssertionError("type " + type);
        };
    }

    private long number(long lowest, long highest) {
        return switch (random.nextInt(6)) {
            case 0 -> lowest;
            case 1 -> highest;
            case 2 -> lowest < 0 ? -1 : 0;
            case 3 -> 1 + random.nextInt(100);
            default -> highest == Long.MAX_VALUE ? random.nextLong() : within(lowest, highest);
        };
    }

    private long within(long lowest, long highest) {
        return random.nextLong(lowest, highest + 1);
    }

    private String text() {
        return switch (random.nextInt(10)) {
            case 0 -> "";
            case 1 -> "x";
            case 2 -> "주문-결제";
            case 3 -> "é".repeat(1 + random.nextInt(80));
            case 4 -> "𝕬🚀".repeat(1 + random.nextInt(40)) + "end";
            case 5 -> "a".repeat(126 + random.nextInt(4));
            case 6 ->
                    random.nextInt(20) == 0
                            ? "b".repeat(Short.MAX_VALUE)
                            : "\u0000\u007f\u0080\uffff";
            default -> "topic-" + random.nextInt(1000);
        };
    }

    private byte[] bytes() {
        int length =
                switch (random.nextInt(6)) {
                    case 0 -> 0;
                    case 1 -> 126 + random.nextInt(4);
                    case 2 -> random.nextInt(20) == 0 ? 16_383 + random.nextInt(3) : 1;
                    case 3 -> WireWriter.COPY_BELOW - 1 + random.nextInt(3);
                    default -> random.nextInt(40);
                };
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
