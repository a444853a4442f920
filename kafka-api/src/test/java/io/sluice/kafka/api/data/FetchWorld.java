package io.sluice.kafka.api.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.FileSlice;
import io.sluice.env.Reply;
import io.sluice.kafka.api.ApiWorld;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchRequest.FetchPartition;
import io.sluice.kafka.wire.message.FetchRequest.FetchTopic;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.kafka.wire.message.FetchResponse.FetchableTopicResponse;
import io.sluice.kafka.wire.message.FetchResponse.PartitionData;
import io.sluice.partition.PartitionWorld;
import io.sluice.record.Records;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/// A broker with a topic `orders` of two partitions, a record in the first one and none in the other, and a client that fetches. Owned by its test.
final class FetchWorld {
    /// The last version that names topics.
    static final int NAMED = 12;

    static final UUID NO_ID = new UUID(0, 0);

    final ApiWorld api;
    final PartitionWorld world;
    final FetchHandler handler;
    private final int filesBefore;

    FetchWorld(Path folder) {
        api = new ApiWorld(folder);
        world = api.world;
        handler = new FetchHandler(world.directory, api.controller::view, 3);
        api.create("orders", 2);
        world.appendDurably(api.partition("orders", 0), "a");
        world.open(api.partition("orders", 1));
        filesBefore = world.disk.openFiles();
    }

    /// Outside of any session.
    static FetchRequest.Builder request(int maxWaitMs, int minBytes) {
        return FetchRequest.builder()
                .maxWaitMs(maxWaitMs)
                .minBytes(minBytes)
                .maxBytes(1 << 20)
                .sessionEpoch(-1);
    }

    static FetchTopic topic(String name, FetchPartition... partitions) {
        return new FetchTopic(name, NO_ID, List.of(partitions));
    }

    static FetchPartition at(int partition, long offset) {
        return at(partition, offset, 1 << 20);
    }

    static FetchPartition at(int partition, long offset, int maxBytes) {
        return FetchPartition.builder()
                .partition(partition)
                .fetchOffset(offset)
                .currentLeaderEpoch(-1)
                .partitionMaxBytes(maxBytes)
                .build();
    }

    Reply<FetchResponse> ask(FetchRequest request) {
        return api.ask(handler, request, NAMED, FetchResponse.class);
    }

    Reply<FetchResponse> fetch(int maxWaitMs, int minBytes, FetchPartition... from) {
        return ask(request(maxWaitMs, minBytes).topics(List.of(topic("orders", from))).build());
    }

    /// What was found, as `topic-partition[offsets]` or `topic-partition!ERROR`, and its files given back.
    static List<String> found(Reply<FetchResponse> reply) {
        List<String> found = new ArrayList<>();
        for (FetchableTopicResponse topic : PartitionWorld.require(reply).responses()) {
            for (PartitionData partition : topic.partitions()) {
                String name = topic.topic() + "-" + partition.partitionIndex();
                ErrorCode error = Objects.requireNonNull(ErrorCode.find(partition.errorCode()));
                found.add(
                        error == ErrorCode.NONE ? name + batchesOf(partition) : name + "!" + error);
            }
        }
        return found;
    }

    private static List<Long> batchesOf(PartitionData partition) {
        List<Long> offsets = new ArrayList<>();
        Records records = partition.records();
        if (records instanceof FileSlice slice) {
            PartitionWorld.batches(slice).forEach(batch -> offsets.add(batch.baseOffset()));
            slice.release();
        }
        return offsets;
    }

    /// Whoever reads holds the file; whoever has sent or dropped the records must let go of it.
    void closeWithNoFileHeld() {
        Reply<Boolean> closed = new Reply<>();
        world.owner.post(() -> world.shard.close().whenDone(_ -> closed.complete(true)));
        world.settle();
        assertThat(world.disk.openFiles()).isLessThan(filesBefore);
    }

    static ErrorCode errorOf(Reply<FetchResponse> reply) {
        return Objects.requireNonNull(ErrorCode.find(PartitionWorld.require(reply).errorCode()));
    }
}
