package io.sluice.conformance.raw;

import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ApiKeys;

/// Requests that name as much as they can: millions of topics, groups or partitions, each in a few bytes, of which a broker makes far larger objects.
public final class Swarm {
    private static final int NAME_BYTES = 6;

    private Swarm() {}

    /// Metadata v4 for topics that do not exist and are not to be created.
    public static byte[] metadata(int topics) {
        ByteBuffer body = ByteBuffer.allocate(4 + topics * (2 + NAME_BYTES) + 1);
        names(body, topics);
        return Frames.frame(ApiKeys.METADATA.id, 4, body.array());
    }

    /// DescribeGroups v0.
    public static byte[] describeGroups(int groups) {
        ByteBuffer body = ByteBuffer.allocate(4 + groups * (2 + NAME_BYTES));
        names(body, groups);
        return Frames.frame(ApiKeys.DESCRIBE_GROUPS.id, 0, body.array());
    }

    /// ListOffsets v1 for partitions of one topic.
    public static byte[] listOffsets(int partitions) {
        ByteBuffer body = ByteBuffer.allocate(4 + 4 + 3 + 4 + partitions * 12).putInt(-1);
        oneTopic(body, partitions);
        for (int index = 0; index < partitions; index++) {
            body.putInt(index).putLong(-1);
        }
        return Frames.frame(ApiKeys.LIST_OFFSETS.id, 1, body.array());
    }

    /// Fetch v4 of partitions of one topic.
    public static byte[] fetch(int partitions) {
        ByteBuffer body = ByteBuffer.allocate(17 + 4 + 3 + 4 + partitions * 16);
        body.putInt(-1).putInt(0).putInt(0).putInt(1 << 20).put((byte) 0);
        oneTopic(body, partitions);
        for (int index = 0; index < partitions; index++) {
            body.putInt(index).putLong(0).putInt(1 << 20);
        }
        return Frames.frame(ApiKeys.FETCH.id, 4, body.array());
    }

    private static void oneTopic(ByteBuffer body, int partitions) {
        body.putInt(1).putShort((short) 1).put((byte) 't').putInt(partitions);
    }

    /// All different.
    private static void names(ByteBuffer body, int count) {
        body.putInt(count);
        for (int i = 0; i < count; i++) {
            body.putShort((short) NAME_BYTES);
            for (int shift = 25; shift >= 0; shift -= 5) {
                body.put((byte) ('A' + (i >> shift & 31)));
            }
        }
    }
}
