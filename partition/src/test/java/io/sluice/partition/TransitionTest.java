package io.sluice.partition;

import static io.sluice.partition.PartitionWorld.require;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.log.TopicSettings;
import io.sluice.log.recovery.RecoveryPoint;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Who leads changes at any time: while the log is closed, opening, open or offline (R9: transitions can be repeated, the last one counts).
/// Shows Q23: every broker follows the plan.
class TransitionTest {
    @TempDir Path folder;
    private ReplicaCluster cluster;

    @BeforeEach
    void begin() {
        cluster = new ReplicaCluster(folder, 2, TopicSettings.defaults());
    }

    private AppendOutcome append(int broker, String value) {
        Reply<AppendOutcome> append = cluster.append(broker, Acks.LEADER, value);
        cluster.world(broker).settle();
        return require(append);
    }

    private static boolean isNotLeader(AppendOutcome outcome) {
        return outcome instanceof AppendOutcome.Failed(Unavailable why, _)
                && why == Unavailable.NOT_LEADER;
    }

    @Test
    void beforeThePlanIsKnownNobodyLeads() {
        assertThat(append(0, "a")).matches(TransitionTest::isNotLeader);
        assertThat(cluster.world(0).counters.logsOpened.sum()).as("not even opened").isZero();
        assertThat(cluster.on(0).leader()).isEqualTo(Assignment.NOBODY);
        assertThat(cluster.on(0).isLeaderHere()).isFalse();
    }

    @Test
    void aClosedLogLeadsWhenItIsOpened() {
        cluster.lead(0, 0);
        assertThat(cluster.on(0).isLeaderHere()).isTrue();
        assertThat(cluster.world(0).counters.logsOpened.sum()).isZero();
        assertThat(append(0, "a")).isInstanceOf(AppendOutcome.Acknowledged.class);
    }

    @Test
    void whoLosesLeadershipWhileOpeningRefusesWhatWaited() {
        cluster.lead(0, 0, 1);
        Reply<AppendOutcome> append = cluster.append(0, Acks.LEADER, "a");
        assertThat(cluster.world(0).workers.waiting(Workers.Kind.READ)).isEqualTo(1);
        cluster.lead(1, 0, 1);
        cluster.world(0).settle();
        assertThat(require(append)).matches(TransitionTest::isNotLeader);
        assertThat(cluster.status(0).endOffset()).isZero();
    }

    @Test
    void leadershipGoesThereAndBack() {
        cluster.lead(0, 0, 1);
        append(0, "a");
        cluster.catchUp(1);
        for (int round = 0; round < 3; round++) {
            cluster.lead(1, 0, 1);
            assertThat(append(0, "refused")).matches(TransitionTest::isNotLeader);
            cluster.catchUp(0);
            cluster.lead(0, 0, 1);
            cluster.catchUp(1);
            append(0, "b" + round);
            cluster.catchUp(1);
        }
        cluster.advance(PartitionWorld.FLUSH_INTERVAL);
        cluster.settle();
        cluster.catchUp(1);
        assertThat(cluster.values(1)).containsExactly("a", "b0", "b1", "b2");
        assertThat(cluster.values(0)).containsExactly("a", "b0", "b1", "b2");
    }

    @Test
    void anOldOrRepeatedPlanChangesNothing() {
        cluster.lead(0, 0, 1);
        Assignment old = cluster.planOf(0);
        cluster.status(0);
        cluster.lead(1, 0, 1);
        cluster.on(0).assign(old);
        cluster.tell(0);
        assertThat(cluster.on(0).leader()).isEqualTo(1);
        assertThat(cluster.on(0).leaderEpoch()).isEqualTo(1);
        Reply<AppendOutcome> pending = cluster.append(1, Acks.ALL, "a");
        cluster.world(1).settle();
        cluster.tell(1);
        assertThat(pending.isDone()).as("a repeated plan ends no term").isFalse();
    }

    @Test
    void aPlanWithoutALeaderStopsEverything() {
        cluster.lead(0, 0, 1);
        append(0, "a");
        cluster.lead(Assignment.NOBODY, 0, 1);
        AppendOutcome outcome = append(0, "b");
        assertThat(outcome).matches(TransitionTest::isNotLeader);
        assertThat(((AppendOutcome.Failed) outcome).sentence()).contains("has no leader now");
        assertThat(cluster.values(0)).isEmpty();
        assertThat(cluster.status(0).endOffset()).isEqualTo(1);
    }

    @Test
    void whatAFollowerWaitsForEndsWithTheTerm() {
        cluster.lead(0, 0, 1);
        append(0, "a");
        FetchPosition position = cluster.position(1);
        Reply<FollowOutcome> taken = cluster.take(1, 0, cluster.ask(0, 1, position));
        assertThat(taken.isDone()).isFalse();
        cluster.lead(1, 0, 1);
        assertThat(require(taken)).isEqualTo(new FollowOutcome.Stale(0));
    }

    @Test
    void aFollowersFailedDiskIsTold() {
        cluster.lead(0, 0, 1);
        append(0, "a");
        FetchPosition position = cluster.position(1);
        cluster.world(1).disk.failForces();
        Reply<FollowOutcome> taken = cluster.take(1, 0, cluster.ask(0, 1, position));
        cluster.world(1).settle();
        assertThat(require(taken))
                .isInstanceOfSatisfying(
                        FollowOutcome.Failed.class,
                        failed -> assertThat(failed.why()).isEqualTo(Unavailable.OFFLINE));
        assertThat(cluster.on(1).isOffline()).isTrue();
        cluster.lead(1, 1);
        Reply<AppendOutcome> refused = cluster.append(1, Acks.ALL, "b");
        assertThat(require(refused))
                .isInstanceOfSatisfying(
                        AppendOutcome.Failed.class,
                        failed -> assertThat(failed.why()).isEqualTo(Unavailable.OFFLINE));
    }

    @Test
    void brokenBatchesOfALeaderAreNotTakenIn() {
        cluster.lead(0, 0, 1);
        ByteBuffer batch = PartitionWorld.batch("a");
        batch.put(batch.limit() - 1, (byte) ~batch.get(batch.limit() - 1));
        Reply<FollowOutcome> taken =
                cluster.on(1).appendFromLeader(0, batch, 0, 0, cluster.world(1).home);
        cluster.world(1).settle();
        assertThat(require(taken)).isInstanceOf(FollowOutcome.Failed.class);
        assertThat(cluster.on(1).isOffline()).as("the disk is sound").isFalse();
        assertThat(cluster.position(1)).isEqualTo(new FetchPosition(0, 0, -1));
    }

    /// A clean stop: what waits for followers is told, what is here is on disk.
    @Test
    void aLeaderThatStopsTellsThoseWhoWait() {
        cluster.lead(0, 0, 1);
        Reply<AppendOutcome> append = cluster.append(0, Acks.ALL, "a");
        PartitionWorld world = cluster.world(0);
        world.settle();
        Reply<Boolean> closed = new Reply<>();
        world.owner.post(() -> world.shard.close().whenDone(_ -> closed.complete(true)));
        world.settle();
        assertThat(require(closed)).isTrue();
        assertThat(require(append)).matches(TransitionTest::isNotLeader);
    }

    @Test
    void aDeletedTopicTellsThoseWhoWait() {
        cluster.lead(0, 0, 1);
        Reply<AppendOutcome> append = cluster.append(0, Acks.ALL, "a");
        cluster.world(0).settle();
        cluster.on(0).retire(cluster.world(0).home);
        cluster.world(0).settle();
        assertThat(append.isDone()).isTrue();
    }

    /// Consumers are not shown less after a restart than before.
    @Test
    void theWatermarkSurvivesARestart() {
        cluster.lead(0, 0, 1);
        append(0, "a");
        append(0, "b");
        cluster.world(0).time.advance(PartitionWorld.FLUSH_INTERVAL);
        cluster.world(0).settle();
        cluster.catchUp(1);
        cluster.fetch(1);
        assertThat(cluster.status(1).highWatermark()).isEqualTo(2);
        cluster.world(1).checkpoint();
        assertThat(cluster.world(1).checkpointed().get("orders-0"))
                .extracting(RecoveryPoint::highWatermark)
                .isEqualTo(2L);

        cluster.restart(1);
        assertThat(cluster.values(1)).containsExactly("a", "b");
        cluster.lead(1, 0, 1);
        assertThat(cluster.values(1)).as("as a leader, too").containsExactly("a", "b");
    }

    @Test
    void aWatermarkBeyondTheLogIsNotBelieved() {
        RecoveryPoint wrong = RecoveryPoint.NOTHING.withHighWatermark(99);
        PartitionWorld world = new PartitionWorld(folder.resolve("w"), Map.of("orders-0", wrong));
        Partition partition = world.add("orders", 0, TopicSettings.defaults());
        world.appendDurably(partition, "a");
        assertThat(partition.highWatermarkSeen()).isEqualTo(1);
    }

    /// Retention on a follower runs by itself, and only below what is committed.
    @Test
    void aFollowersRetentionKeepsWhatIsNotCommitted() {
        TopicSettings small =
                PartitionWorld.settings("retention.bytes", "0", "file.delete.delay.ms", "0")
                        .withSegments(200, 0);
        cluster = new ReplicaCluster(folder.resolve("r"), 2, small);
        cluster.lead(0, 0, 1);
        for (int i = 0; i < 3; i++) {
            append(0, String.valueOf(i).repeat(150));
        }
        cluster.fetch(1);
        PartitionWorld follower = cluster.world(1);
        follower.owner.post(follower.shard::keepHouse);
        follower.settle();
        assertThat(cluster.status(1).startOffset()).isZero();
        cluster.world(0).time.advance(PartitionWorld.FLUSH_INTERVAL);
        cluster.world(0).settle();
        cluster.catchUp(1);
        cluster.fetch(1);
        assertThat(cluster.status(1).highWatermark()).isEqualTo(3);
        follower.owner.post(follower.shard::keepHouse);
        follower.settle();
        follower.owner.post(follower.shard::keepHouse);
        follower.settle();
        assertThat(cluster.status(1).startOffset()).isPositive();
    }

    /// Two leaders must not write the same epoch: data of a single node, whose epochs counted its starts, is not led by a plan that began to count anew.
    @Test
    void aPlanThatIsBehindTheLogsEpochsDoesNotLeadOthers() {
        PartitionWorld world = new PartitionWorld(folder.resolve("s"));
        Partition old =
                world.directory.add(
                        cluster.on(0).id(),
                        PartitionWorld.TOPIC_ID,
                        TopicSettings.defaults(),
                        Assignment.alone(0, 57));
        world.appendDurably(old, "a");
        PartitionWorld next = new PartitionWorld(folder.resolve("s"));
        Partition led =
                next.directory.add(old.id(), PartitionWorld.TOPIC_ID, TopicSettings.defaults());
        led.assign(new Assignment(0, 1, List.of(0, 1), List.of(0), 1, 0));
        Reply<AppendOutcome> refused = next.append(led, Acks.LEADER, "b");
        next.settle();
        assertThat(require(refused)).matches(TransitionTest::isNotLeader);
        led.assign(new Assignment(0, 58, List.of(0, 1), List.of(0), 2, 0));
        next.appendDurably(led, "b");
        assertThat(next.valuesFrom(led, 0)).containsExactly("a", "b");
    }

    /// A new term of the only replica shows nothing that its producer could still be told was lost.
    @Test
    void aNewTermMakesNothingReadable() {
        PartitionWorld world = new PartitionWorld(folder.resolve("t"));
        Partition only = world.add("only", 0, TopicSettings.defaults());
        world.open(only);
        Reply<AppendOutcome> append = world.append(only, Acks.ALL, "a");
        world.turn();
        only.assign(Assignment.alone(0, 1));
        world.turn();
        assertThat(require(append)).matches(TransitionTest::isNotLeader);
        assertThat(only.highWatermarkSeen()).isZero();
        world.settle();
        assertThat(only.highWatermarkSeen()).isEqualTo(1);
    }

    /// Its shard's, for all that it leads: one looks after followers, one after doubts.
    @Test
    void anIdleLeaderOfFollowersCostsTwoTimers() {
        cluster.lead(0, 0, 1);
        cluster.status(0);
        cluster.catchUp(1);
        cluster.advance(Duration.ofMinutes(5));
        assertThat(cluster.world(0).time.timers()).isEqualTo(2);
        assertThat(cluster.world(0).inSync.count()).isZero();
    }
}
