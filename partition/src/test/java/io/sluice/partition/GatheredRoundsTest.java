package io.sluice.partition;

import static io.sluice.partition.PartitionWorld.require;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Reply;
import io.sluice.log.TopicSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Producers that were answered together come back together, and make one round through the followers.
class GatheredRoundsTest {
    private static final int PRODUCERS = 10;
    private static final int LAGGING = 2;
    private static final Duration LONG_ENOUGH = Duration.ofMillis(3);

    @TempDir Path folder;
    private final AtomicInteger woken = new AtomicInteger();
    private ReplicaCluster cluster;

    /// Ten producers have just been answered, and the follower that is in sync waits for more.
    @BeforeEach
    void begin() {
        cluster = new ReplicaCluster(folder, 3, TopicSettings.defaults());
        cluster.lead(0, 0, 1);
        cluster.catchUp(1);
        List<Reply<AppendOutcome>> first = new ArrayList<>();
        for (int producer = 0; producer < PRODUCERS; producer++) {
            first.add(cluster.append(0, Acks.ALL, "a" + producer));
        }
        cluster.world(0).settle();
        cluster.catchUp(1);
        cluster.world(0).settle();
        assertThat(first).allMatch(Reply::isDone);
        await(PRODUCERS);
    }

    private void await(long offset) {
        cluster.on(0)
                .awaitAsReplica(
                        offset, Long.MAX_VALUE, cluster.world(0).home, woken::incrementAndGet);
        cluster.world(0).turn();
    }

    private void append(int count) {
        for (int i = 0; i < count; i++) {
            cluster.append(0, Acks.ALL, "b" + i);
        }
        cluster.world(0).turn();
    }

    @Test
    void theFollowerIsWokenWhenAllAreBack() {
        append(PRODUCERS - 1);
        assertThat(woken).hasValue(0);
        append(1);
        assertThat(woken).hasValue(1);
    }

    @Test
    void theFollowerIsWokenWhenNobodyElseComes() {
        append(3);
        assertThat(woken).hasValue(0);
        cluster.world(0).time.advance(LONG_ENOUGH);
        cluster.world(0).turn();
        assertThat(woken).hasValue(1);
    }

    @Test
    void whoAsksMeanwhileGetsNothingYet() {
        append(3);
        FetchPosition position = cluster.position(1);
        assertThat(cluster.ask(0, 1, position))
                .isInstanceOfSatisfying(
                        ReplicaReadOutcome.Found.class,
                        found -> assertThat(found.records().sizeInBytes()).isZero());
        append(PRODUCERS - 3);
        assertThat(cluster.ask(0, 1, position))
                .isInstanceOfSatisfying(
                        ReplicaReadOutcome.Found.class,
                        found -> {
                            assertThat(found.records().sizeInBytes()).isPositive();
                            found.records().release();
                        });
    }

    /// It takes along what has arrived: nothing is left to be looked for, and nobody else would tell them.
    @Test
    void aFollowerThatLagsTakesTheOthersAndTheDiskAlong() {
        append(3);
        assertThat(woken).hasValue(0);
        assertThat(cluster.world(0).flushesWaiting()).isZero();

        assertThat(cluster.ask(0, LAGGING, cluster.position(LAGGING)))
                .isInstanceOfSatisfying(
                        ReplicaReadOutcome.Found.class, found -> found.records().release());
        cluster.world(0).turn();

        assertThat(woken).hasValue(1);
        assertThat(cluster.world(0).flushesWaiting()).isEqualTo(1);
    }

    /// A follower that has died must not keep the leader's own disk from what an ack needs.
    @Test
    void theLeadersDiskDoesNotWaitForAFollowerThatIsGone() {
        Reply<AppendOutcome> append = cluster.append(0, Acks.ALL, "b");
        cluster.world(0).time.advance(LONG_ENOUGH);
        cluster.world(0).settle();

        cluster.inSync(0);
        cluster.world(0).settle();

        assertThat(require(append)).isInstanceOf(AppendOutcome.Acknowledged.class);
    }

    @Test
    void everythingIsAcknowledgedInTheEnd() {
        List<Reply<AppendOutcome>> appends = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            appends.add(cluster.append(0, Acks.ALL, "c" + i));
            if (i % 4 == 0) {
                cluster.world(0).time.advance(LONG_ENOUGH);
                cluster.world(0).settle();
                cluster.fetch(1);
            }
        }
        await(PRODUCERS + 25);
        cluster.world(0).time.advance(LONG_ENOUGH);
        cluster.world(0).settle();
        cluster.catchUp(1);
        cluster.world(0).settle();

        assertThat(appends)
                .allSatisfy(
                        append ->
                                assertThat(require(append))
                                        .isInstanceOf(AppendOutcome.Acknowledged.class));
        assertThat(cluster.values(1)).hasSize(PRODUCERS + 25);
    }
}
