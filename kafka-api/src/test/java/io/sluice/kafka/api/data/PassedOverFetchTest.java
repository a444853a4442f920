package io.sluice.kafka.api.data;

import static io.sluice.kafka.api.data.FetchWorld.at;
import static io.sluice.kafka.api.data.FetchWorld.found;
import static io.sluice.kafka.api.data.FetchWorld.request;
import static io.sluice.kafka.api.data.FetchWorld.topic;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Reply;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.message.FetchRequest;
import io.sluice.kafka.wire.message.FetchResponse;
import io.sluice.partition.Acks;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionWorld;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A fetch passes over a partition that is read to its end. What comes into it while the others are read is not missed.
class PassedOverFetchTest {
    private static final int BUSY = 0;
    private static final int QUIET = 1;

    @TempDir Path folder;
    private FetchWorld client;
    private PartitionWorld world;

    @BeforeEach
    void begin() {
        client = new FetchWorld(folder);
        world = client.world;
    }

    @AfterEach
    void nobodyHoldsAFile() {
        client.closeWithNoFileHeld();
    }

    @Test
    void aRecordThatComesWhileOtherPartitionsAreReadWakesTheFetch() {
        Partition quiet = client.api.partition("orders", QUIET);
        Reply<FetchResponse> reply = new Reply<>();
        int bothNeeded = PartitionWorld.batch("a").remaining() + 1;
        world.home.post(() -> ask(10_000, bothNeeded, reply));
        // Behind the look at the quiet partition, before the answer of the busy one.
        world.home.post(() -> world.append(quiet, Acks.LEADER, "b"));
        world.turn();
        assertThat(reply.isDone()).isTrue();
        assertThat(found(reply)).containsExactly("orders-1[0]", "orders-0[0]");
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
        assertThat(found(reply)).containsExactly("orders-1[]", "orders-0[0]");
    }

    /// Without the turn that the usual way to ask takes at its end.
    private void ask(int maxWaitMs, int minBytes, Reply<FetchResponse> reply) {
        FetchRequest request =
                request(maxWaitMs, minBytes)
                        .maxBytes(1 << 21)
                        .topics(List.of(topic("orders", at(QUIET, 0), at(BUSY, 0))))
                        .build();
        client.handler
                .handle(
                        request,
                        new RequestContext((short) FetchWorld.NAMED, "test", client.api.peer))
                .then(reply::complete, reply::fail);
    }
}
