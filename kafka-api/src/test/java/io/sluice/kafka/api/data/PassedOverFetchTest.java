package io.sluice.kafka.api.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.FileSlice;
import io.sluice.env.Reply;
import io.sluice.kafka.api.ApiWorld;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchRequest.FetchPartition;
import io.sluice.kafka.wire.message.FetchRequest.FetchTopic;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.kafka.wire.message.FetchResponse.PartitionData;
import io.sluice.partition.Acks;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionWorld;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A fetch passes over a partition that is read to its end. What comes into it while the others are read is not missed.
class PassedOverFetchTest {
    private static final short NAMED = 12;

    @TempDir Path folder;
    private ApiWorld api;
    private PartitionWorld world;
    private FetchHandler fetch;
    private Partition busy;
    private Partition quiet;

    @BeforeEach
    void begin() {
        api = new ApiWorld(folder);
        world = api.world;
        fetch = new FetchHandler(world.directory, api.controller::view, 3);
        api.create("orders", 2);
        quiet = api.partition("orders", 0);
        busy = api.partition("orders", 1);
        world.open(quiet);
        world.appendDurably(busy, "a");
    }

    @Test
    void aRecordThatComesWhileOtherPartitionsAreReadWakesTheFetch() {
        Reply<FetchResponse> reply = new Reply<>();
        int bothNeeded = PartitionWorld.batch("a").remaining() + 1;
        world.home.post(() -> ask(10_000, bothNeeded, reply));
        // Behind the look at the quiet partition, before the answer of the busy one.
        world.home.post(() -> world.append(quiet, Acks.LEADER, "b"));
        world.turn();
        assertThat(reply.isDone()).isTrue();
        assertThat(reply.value().responses().getFirst().partitions())
                .allSatisfy(PassedOverFetchTest::hasRecords);
    }

    /// It holds what it has asked for as long as it waits.
    @Test
    void nobodyWaitsForEver() {
        Reply<FetchResponse> reply = new Reply<>();
        world.home.post(() -> ask(Integer.MAX_VALUE, 1 << 20, reply));
        world.turn();
        assertThat(reply.isDone()).isFalse();
        world.time.advance(PendingFetch.LONGEST_WAIT.minus(Duration.ofMillis(1)));
        assertThat(reply.isDone()).isFalse();
        world.time.advance(Duration.ofMillis(1));
        assertThat(reply.isDone()).isTrue();
        hasRecords(reply.value().responses().getFirst().partitions().getLast());
    }

    private void ask(int maxWaitMs, int minBytes, Reply<FetchResponse> reply) {
        FetchRequest request =
                FetchRequest.builder()
                        .maxWaitMs(maxWaitMs)
                        .minBytes(minBytes)
                        .maxBytes(1 << 21)
                        .sessionEpoch(-1)
                        .topics(List.of(new FetchTopic("orders", new UUID(0, 0), beginnings())))
                        .build();
        fetch.handle(request, new RequestContext(NAMED, "test", api.peer))
                .then(reply::complete, reply::fail);
    }

    private static List<FetchPartition> beginnings() {
        return List.of(beginning(0), beginning(1));
    }

    private static FetchPartition beginning(int partition) {
        return FetchPartition.builder()
                .partition(partition)
                .currentLeaderEpoch(-1)
                .partitionMaxBytes(1 << 20)
                .build();
    }

    private static void hasRecords(PartitionData partition) {
        assertThat(partition.records()).isInstanceOf(FileSlice.class);
        ((FileSlice) partition.records()).release();
    }
}
