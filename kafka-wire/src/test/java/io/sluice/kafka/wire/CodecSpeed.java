package io.sluice.kafka.wire;

import com.sun.management.ThreadMXBean;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.kafka.wire.message.ProduceRequest;
import io.sluice.kafka.wire.message.ProduceResponse;
import io.sluice.record.Records;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/// Time and memory per message on the paths of produce and fetch: a plain main.
///
/// Not a benchmark to publish; it shows whether a change made things better or worse, on one machine in one run.
final class CodecSpeed {
    private static final int ROUNDS = 12;
    private static final int PER_ROUND = 200_000;
    private static final UUID TOPIC = new UUID(1, 2);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /// Where results go, so that none of the work can be left out.
    static volatile Object sink = "";

    private CodecSpeed() {}

    public static void main(String[] arguments) {
        for (int partitions : new int[] {1, 20}) {
            decode(ApiKey.PRODUCE, (short) 12, produce(partitions), partitions);
            encode(ApiKey.PRODUCE, (short) 12, produced(partitions), partitions);
            decode(ApiKey.FETCH, (short) 17, fetch(partitions), partitions);
            encode(ApiKey.FETCH, (short) 17, fetched(partitions), partitions);
        }
    }

    private static void decode(ApiKey api, short version, ApiRequest request, int partitions) {
        WireWriter out = new WireWriter();
        new RequestHeader(api, version, 5, "producer-1").write(out);
        request.write(out, version);
        byte[] bytes = Bytes.of(out);
        ByteBuffer frame = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        WireReader in = new WireReader(frame);
        measure(
                "decode %s request v%d, %d partitions".formatted(api, version, partitions),
                () -> {
                    in.reset(frame);
                    RequestHeader header = RequestHeader.read(in);
                    return Messages.readRequest(header.api(), header.version(), in);
                });
    }

    private static void encode(ApiKey api, short version, ApiResponse response, int partitions) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(8192);
        WireWriter out = new WireWriter(_ -> buffer.clear());
        measure(
                "encode %s response v%d, %d partitions".formatted(api, version, partitions),
                () -> {
                    out.clear();
                    Frame.writeResponse(out, api, version, 5, response);
                    return out.parts();
                });
    }

    private static void measure(String what, Supplier<Object> work) {
        long bestNanos = Long.MAX_VALUE;
        long bytes = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
            long before = THREADS.getCurrentThreadCpuTime();
            for (int i = 0; i < PER_ROUND; i++) {
                sink = work.get();
            }
            bestNanos = Math.min(bestNanos, THREADS.getCurrentThreadCpuTime() - before);
            bytes = THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore;
        }
        System.out.printf(
                "%-45s %7.0f ns of CPU, %6d bytes allocated%n",
                what, (double) bestNanos / PER_ROUND, bytes / PER_ROUND);
    }

    private static ApiRequest produce(int partitions) {
        Records records = new Records.InMemory(ByteBuffer.allocate(170));
        ProduceRequest.PartitionProduceData partition =
                ProduceRequest.PartitionProduceData.builder().index(3).records(records).build();
        ProduceRequest.TopicProduceData topic =
                ProduceRequest.TopicProduceData.builder()
                        .name("orders-of-the-day")
                        .partitionData(Collections.nCopies(partitions, partition))
                        .build();
        return ProduceRequest.builder().acks((short) -1).topicData(List.of(topic)).build();
    }

    private static ApiResponse produced(int partitions) {
        ProduceResponse.PartitionProduceResponse partition =
                ProduceResponse.PartitionProduceResponse.builder().index(3).baseOffset(77).build();
        ProduceResponse.TopicProduceResponse topic =
                ProduceResponse.TopicProduceResponse.builder()
                        .name("orders-of-the-day")
                        .partitionResponses(Collections.nCopies(partitions, partition))
                        .build();
        return ProduceResponse.builder().responses(List.of(topic)).build();
    }

    private static ApiRequest fetch(int partitions) {
        FetchRequest.FetchPartition partition =
                FetchRequest.FetchPartition.builder().partition(3).fetchOffset(77).build();
        FetchRequest.FetchTopic topic =
                FetchRequest.FetchTopic.builder()
                        .topicId(TOPIC)
                        .partitions(Collections.nCopies(partitions, partition))
                        .build();
        return FetchRequest.builder().topics(List.of(topic)).build();
    }

    private static ApiResponse fetched(int partitions) {
        Records stored = new Bytes.StoredBytes(ByteBuffer.allocate(100_000));
        FetchResponse.PartitionData partition =
                FetchResponse.PartitionData.builder().partitionIndex(3).records(stored).build();
        FetchResponse.FetchableTopicResponse topic =
                FetchResponse.FetchableTopicResponse.builder()
                        .topicId(TOPIC)
                        .partitions(Collections.nCopies(partitions, partition))
                        .build();
        return FetchResponse.builder().responses(List.of(topic)).build();
    }
}
