package io.sluice.benchmarks.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// A request that is built once and sent many times, and where in its answer the error code stands.
///
/// Positions count from the first byte after the size of the frame. They are fixed because the requests name one topic and one partition, whose
/// lengths the answer repeats.
///
/// Immutable, except that a sender may write the correlation id into its own copy.
public record RequestFrame(ByteBuffer bytes, int errorCodePosition) {
    /// Where the correlation id stands in the frame: after size, API key and version.
    static final int CORRELATION_POSITION = 8;

    private static final int PRODUCE = 0;
    private static final int FETCH = 1;
    private static final int CREATE_TOPICS = 19;
    private static final int TIMEOUT_MILLIS = 30_000;

    /// Produce v9 with one record.
    public static RequestFrame produce(String topic, int partition, Acks acks, int valueBytes) {
        byte[] batch = RecordBatch.of(1, valueBytes, System.currentTimeMillis());
        ByteBuffer bytes =
                FrameWriter.request(PRODUCE, 9, true)
                        .compactNull()
                        .int16(acks.code())
                        .int32(TIMEOUT_MILLIS)
                        .compactCount(1)
                        .compactString(topic)
                        .compactCount(1)
                        .int32(partition)
                        .compactBytes(batch)
                        .noTags()
                        .noTags()
                        .noTags()
                        .frame();
        int correlationAndTags = 4 + 1;
        int topicNamed = 1 + 1 + utf8Length(topic);
        int partitionNamed = 1 + 4;
        return new RequestFrame(bytes, correlationAndTags + topicNamed + partitionNamed);
    }

    /// CreateTopics v4 for one topic.
    static RequestFrame createTopic(String topic, int partitions, int replicas, int minInSync) {
        ByteBuffer bytes =
                FrameWriter.request(CREATE_TOPICS, 4, false)
                        .int32(1)
                        .string(topic)
                        .int32(partitions)
                        .int16(replicas)
                        .int32(0)
                        .int32(1)
                        .string("min.insync.replicas")
                        .string(Integer.toString(minInSync))
                        .int32(TIMEOUT_MILLIS)
                        .int8(0)
                        .frame();
        int correlationAndThrottle = 4 + 4;
        return new RequestFrame(bytes, correlationAndThrottle + 4 + 2 + utf8Length(topic));
    }

    /// Fetch v11 of one partition, outside of any fetch session.
    public static RequestFrame fetch(String topic, int partition, long offset, int maxBytes) {
        ByteBuffer bytes =
                FrameWriter.request(FETCH, 11, false)
                        .int32(-1)
                        .int32(500)
                        .int32(1)
                        .int32(maxBytes)
                        .int8(0)
                        .int32(0)
                        .int32(-1)
                        .int32(1)
                        .string(topic)
                        .int32(1)
                        .int32(partition)
                        .int32(-1)
                        .int64(offset)
                        .int64(-1)
                        .int32(maxBytes)
                        .int32(0)
                        .string("")
                        .frame();
        int correlationThrottleErrorSession = 4 + 4 + 2 + 4;
        int topicNamed = 4 + 2 + utf8Length(topic);
        int partitionNamed = 4 + 4;
        return new RequestFrame(
                bytes, correlationThrottleErrorSession + topicNamed + partitionNamed);
    }

    /// A copy with a buffer of its own, for a connection that sends it.
    RequestFrame copy() {
        ByteBuffer own = ByteBuffer.allocateDirect(bytes.remaining()).put(bytes.duplicate());
        return new RequestFrame(own.flip(), errorCodePosition);
    }

    private static int utf8Length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
