package io.sluice.kafka.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Struct;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.Test;

/// Decoding n bytes allocates at most 16 n + 64 KiB, whether the message is accepted or refused.
class AllocationBudgetTest {
    private static final int MANY = 5000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private double worst;
    private String worstMessage = "";
    private int accepted;
    private int refused;

    @Test
    void messagesMadeOfAsManySmallObjectsAsPossibleStayWithinTheBudget() {
        List<List<Integer>> shapes =
                List.of(
                        List.of(MANY, 0),
                        List.of(MANY, 1),
                        List.of(MANY, 2),
                        List.of(1, MANY),
                        List.of(1, 1, MANY));
        String[] texts = {"", "a", "é"};
        for (KafkaMessage message : KafkaMessage.ofAllApis()) {
            // What changes the sizes is whether a version is flexible; the first and the last will
            // do.
            boolean isEdge =
                    message.version() == lowest(message) || message.version() == highest(message);
            if (!isEdge || !message.isRequest()) {
                continue;
            }
            for (List<Integer> shape : shapes) {
                for (String text : texts) {
                    Struct struct = new Greedy(shape, text).struct(message.schema(), 0);
                    ByteBuffer bytes = ByteBuffer.allocate(struct.sizeOf());
                    struct.writeTo(bytes);
                    measure(message, bytes.array());
                }
            }
        }
        report("greedy");
        assertThat(refused).as("the account must have been overdrawn somewhere").isPositive();
    }

    @Test
    void monotonousMessagesStayWithinTheBudget() {
        byte[] bytes = new byte[20_000];
        for (KafkaMessage message : KafkaMessage.ofAllApis()) {
            for (int value : new int[] {0, 1, 2, 3, 5, 16, 64, 127, 128, 129, 255}) {
                Arrays.fill(bytes, (byte) value);
                measure(message, bytes);
            }
        }
        report("monotonous");
    }

    @Test
    void aRealisticMessageIsFarFromTheBudget() {
        for (KafkaMessage message : KafkaMessage.ofAllApis()) {
            Struct struct =
                    new Greedy(List.of(100, 20, 3), "a-topic-or-group-name")
                            .struct(message.schema(), 0);
            ByteBuffer bytes = ByteBuffer.allocate(struct.sizeOf());
            struct.writeTo(bytes);
            message.decodedByUs(bytes.array());
        }
    }

    private void measure(KafkaMessage message, byte[] bytes) {
        boolean isAccepted = decodes(message, bytes); // Once for what only the first time costs.
        accepted += isAccepted ? 1 : 0;
        refused += isAccepted ? 0 : 1;
        long before = THREADS.getCurrentThreadAllocatedBytes();
        decodes(message, bytes);
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated)
                .as("%s of %d bytes, accepted: %s", message.name(), bytes.length, isAccepted)
                .isLessThanOrEqualTo(16L * bytes.length + 64 * 1024);
        double perByte = bytes.length < 4096 ? 0 : (double) allocated / bytes.length;
        if (perByte > worst) {
            worst = perByte;
            worstMessage = message.name() + " of " + bytes.length + " bytes";
        }
    }

    private static boolean decodes(KafkaMessage message, byte[] bytes) {
        try {
            message.decodedByUs(new WireReader(ByteBuffer.wrap(bytes)));
            return true;
        } catch (MalformedRequest e) {
            return false;
        }
    }

    private void report(String what) {
        System.out.printf(
                "bounds: %s messages, %d accepted, %d refused, at most %.1f bytes per byte (%s)%n",
                what, accepted, refused, worst, worstMessage);
    }

    private static short lowest(KafkaMessage message) {
        return message.kafka().get().lowestSupportedVersion();
    }

    private static short highest(KafkaMessage message) {
        return message.kafka().get().highestSupportedVersion();
    }

    /// As small as possible in everything but the number of elements, which the shape gives for each depth.
    private record Greedy(List<Integer> shape, String text) {
        Struct struct(Schema schema, int depth) {
            Struct struct = new Struct(schema);
            for (BoundField field : schema.fields()) {
                if (field.def.type instanceof TaggedFields) {
                    NavigableMap<Integer, Object> none = new TreeMap<>();
                    struct.set(field, none);
                } else {
                    struct.set(field, value(field.def.type, depth));
                }
            }
            return struct;
        }

        private Object value(Type type, int depth) {
            if (type.isArray()) {
                Object[] items = new Object[depth < shape.size() ? shape.get(depth) : 0];
                Arrays.fill(items, value(type.arrayElementType().orElseThrow(), depth + 1));
                return items;
            }
            if (type instanceof Schema schema) {
                return struct(schema, depth);
            }
            return switch (type.toString()) {
                case "BOOLEAN" -> true;
                case "INT8" -> (byte) 1;
                case "INT16" -> (short) 1000;
                case "UINT16", "INT32" -> 1000;
                case "UINT32", "INT64" -> 1000L;
                case "FLOAT64" -> 0.5;
                case "UUID" -> new Uuid(1, 2);
                case "STRING", "COMPACT_STRING", "NULLABLE_STRING", "COMPACT_NULLABLE_STRING" ->
                        text;
                case "BYTES", "COMPACT_BYTES", "NULLABLE_BYTES", "COMPACT_NULLABLE_BYTES" ->
                        ByteBuffer.wrap(new byte[1]);
                default -> MemoryRecords.readableRecords(ByteBuffer.wrap(new byte[1]));
            };
        }
    }
}
