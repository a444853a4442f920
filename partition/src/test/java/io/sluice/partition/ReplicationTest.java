package io.sluice.partition;

import static io.sluice.partition.PartitionWorld.batch;
import static io.sluice.partition.PartitionWorld.batchFrom;
import static io.sluice.partition.PartitionWorld.require;
import static io.sluice.partition.PartitionWorld.settings;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.FileSlice;
import io.sluice.env.Reply;
import io.sluice.log.AppendResult;
import io.sluice.log.TopicSettings;
import io.sluice.log.state.LeaderEpochs;
import io.sluice.partition.ReplicaReadOutcome.Diverged;
import io.sluice.partition.ReplicaReadOutcome.Found;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A leader and its followers (Q22, Q24, Q25): what is appended on one is safe on all before it counts.
class ReplicationTest {
    @TempDir Path folder;
    private ReplicaCluster cluster;

    @BeforeEach
    void begin() {
        cluster = new ReplicaCluster(folder, 2, TopicSettings.defaults());
        cluster.lead(0, 0, 1);
        cluster.catchUp(1);
    }

    @Test
    void anAckOfAllWaitsForTheFollower() {
        Reply<AppendOutcome> append = cluster.append(0, Acks.ALL, "a");
        cluster.world(0).settle();
        assertThat(append.isDone()).as("durable here only").isFalse();
        assertThat(cluster.status(0).highWatermark()).isZero();

        cluster.fetch(1);
        assertThat(append.isDone()).as("there, but the leader does not know").isFalse();
        cluster.fetch(1);
        cluster.world(0).turn();
        assertThat(require(append)).isEqualTo(new AppendOutcome.Acknowledged(0, -1, 0));
        assertThat(cluster.values(0)).containsExactly("a");
        assertThat(cluster.values(1)).containsExactly("a");
    }

    private Reply<AppendOutcome> sendOf(long producer, int sequence) {
        Reply<AppendOutcome> reply =
                cluster.on(0)
                        .append(
                                batchFrom(producer, sequence, "value " + sequence),
                                Acks.ALL,
                                PartitionWorld.TIMEOUT_MILLIS,
                                cluster.world(0).home);
        cluster.world(0).turn();
        return reply;
    }

    /// A client with requests under way at two brokers has more than five batches under way. One that is not remembered any more is in the log, but nobody has said that it is safe: Kafka's clients take the answer for an acknowledgement.
    @Test
    void aBatchThatIsNotRememberedIsAnsweredWhenItIsSafe() {
        for (int sequence = 0; sequence < 7; sequence++) {
            sendOf(1, sequence);
        }
        Reply<AppendOutcome> again = sendOf(1, 0);
        cluster.world(0).settle();
        assertThat(again.isDone()).as("in this log only").isFalse();
        cluster.fetch(1);
        cluster.fetch(1);
        cluster.world(0).turn();
        assertThat(require(again))
                .isInstanceOfSatisfying(
                        AppendOutcome.Rejected.class,
                        rejected ->
                                assertThat(rejected.reason())
                                        .isEqualTo(AppendResult.Reason.DUPLICATE_SEQUENCE));
    }

    /// The follower reads what is not committed yet, as a range of a file.
    @Test
    void aFollowerReadsToTheEndOfTheLog() {
        cluster.append(0, Acks.ALL, "a");
        FetchPosition position = cluster.position(1);
        assertThat(cluster.ask(0, 1, position))
                .isInstanceOfSatisfying(
                        Found.class,
                        found -> {
                            assertThat(found.records()).isInstanceOf(FileSlice.class);
                            assertThat(found.highWatermark()).isZero();
                            found.records().release();
                        });
    }

    /// What a follower asks for next says what is safe there.
    @Test
    void aFollowerGoesOnWhenItsDiskIsThrough() {
        cluster.append(0, Acks.LEADER, "a");
        FetchPosition position = cluster.position(1);
        Reply<FollowOutcome> taken =
                cluster.take(1, position.leaderEpoch(), cluster.ask(0, 1, position));
        assertThat(taken.isDone()).isFalse();
        cluster.world(1).flushOne();
        assertThat(require(taken)).isEqualTo(new FollowOutcome.Next(new FetchPosition(0, 1, 0)));
    }

    @Test
    void aFollowerOfAPageCacheTopicGoesOnAtOnceAndFlushesLater() {
        cluster = new ReplicaCluster(folder.resolve("p"), 2, settings("flush", "page-cache"));
        cluster.lead(0, 0, 1);
        Reply<AppendOutcome> append = cluster.append(0, Acks.ALL, "a");
        cluster.world(0).settle();
        assertThat(append.isDone()).isFalse();
        FetchPosition position = cluster.position(1);
        Reply<FollowOutcome> taken = cluster.take(1, 0, cluster.ask(0, 1, position));
        assertThat(taken.isDone()).isTrue();
        cluster.ask(0, 1, new FetchPosition(0, 1, 0));
        cluster.world(0).turn();
        assertThat(append.isDone()).isTrue();
        assertThat(cluster.world(1).disk.forces()).isZero();
        cluster.world(1).time.advance(PartitionWorld.FLUSH_INTERVAL);
        cluster.world(1).settle();
        assertThat(cluster.world(1).disk.forces()).isPositive();
    }

    /// A follower is not told of what could be lost with the leader's memory: it would have to take it back.
    @Test
    void aFollowerIsToldWhatIsSafeAtTheLeader() {
        cluster.append(0, Acks.LEADER, "a");
        cluster.fetch(1);
        cluster.fetch(1);
        assertThat(cluster.values(0)).containsExactly("a");
        assertThat(cluster.values(1)).isEmpty();
        cluster.world(0).time.advance(PartitionWorld.FLUSH_INTERVAL);
        cluster.world(0).settle();
        cluster.fetch(1);
        assertThat(cluster.values(1)).containsExactly("a");
    }

    @Test
    void aFollowerServesOnlyWhoeverAsksForIt() {
        Reply<AppendOutcome> append = cluster.append(1, Acks.ALL, "a");
        assertThat(require(append))
                .isEqualTo(
                        new AppendOutcome.Failed(
                                Unavailable.NOT_LEADER, "orders-0 is led by broker 0."));
        Partition follower = cluster.on(1);
        PartitionWorld world = cluster.world(1);
        Reply<ReadOutcome> read = follower.read(0, 1, true, world.home);
        Reply<ReadOutcome> near = follower.read(0, 1, true, ReadFrom.ANY_REPLICA, world.home);
        Reply<DeleteOutcome> delete = follower.deleteAll(world.home);
        Reply<Lookup<OffsetAndTime>> newest = follower.newest(world.home);
        Reply<Lookup<PartitionStatus>> status = follower.leaderStatus(world.home);
        Reply<Lookup<LocalPartition>> local = follower.local();
        world.settle();
        assertThat(require(read)).isInstanceOf(ReadOutcome.Failed.class);
        assertThat(require(near)).isInstanceOf(ReadOutcome.Found.class);
        assertThat(require(delete)).isInstanceOf(DeleteOutcome.Failed.class);
        assertThat(require(newest)).isInstanceOf(Lookup.Failed.class);
        assertThat(require(status)).isInstanceOf(Lookup.Failed.class);
        assertThat(require(local)).isInstanceOf(Lookup.Failed.class);
        assertThat(follower.isCaughtUpAt(0)).as("a reader must ask, and be sent away").isFalse();
    }

    /// A consumer that has read from a leader that was ahead waits; its offset is not out of range.
    @Test
    void beyondTheWatermarkButWithinTheLogIsNothingYet() {
        cluster.append(0, Acks.ALL, "a");
        cluster.fetch(1);
        Reply<ReadOutcome> read =
                cluster.on(1).read(1, 1, true, ReadFrom.ANY_REPLICA, cluster.world(1).home);
        Reply<ReadOutcome> beyond =
                cluster.on(1).read(2, 1, true, ReadFrom.ANY_REPLICA, cluster.world(1).home);
        cluster.world(1).turn();
        assertThat(require(read)).isInstanceOf(ReadOutcome.Found.class);
        assertThat(require(beyond)).isInstanceOf(ReadOutcome.OutOfRange.class);
    }

    @Test
    void aFetchOfAnotherTermOrLifeIsFenced() {
        assertThat(cluster.ask(0, 1, new FetchPosition(-1, 0, -1)))
                .isInstanceOfSatisfying(
                        ReplicaReadOutcome.Failed.class,
                        failed ->
                                assertThat(failed.why())
                                        .isEqualTo(Unavailable.FENCED_LEADER_EPOCH));
        assertThat(cluster.ask(0, 1, new FetchPosition(1, 0, -1)))
                .isInstanceOfSatisfying(
                        ReplicaReadOutcome.Failed.class,
                        failed ->
                                assertThat(failed.why())
                                        .isEqualTo(Unavailable.UNKNOWN_LEADER_EPOCH));
        cluster.world(0).brokerEpochs.put(1, 999L);
        assertThat(cluster.ask(0, 1, new FetchPosition(0, 0, -1)))
                .isInstanceOfSatisfying(
                        ReplicaReadOutcome.Failed.class,
                        failed ->
                                assertThat(failed.why()).isEqualTo(Unavailable.STALE_BROKER_EPOCH));
    }

    @Test
    void anAnswerOfAnotherTermIsNotTakenIn() {
        cluster.append(0, Acks.LEADER, "a");
        ReplicaReadOutcome answer = cluster.ask(0, 1, cluster.position(1));
        cluster.lead(0, 0, 1);
        Reply<FollowOutcome> taken = cluster.take(1, 0, answer);
        assertThat(require(taken)).isEqualTo(new FollowOutcome.Stale(1));
        assertThat(cluster.status(1).endOffset()).isZero();
    }

    /// A term may last for months, and a coordinator that is loaded again must not be kept with those before it.
    @Test
    void whoEndsBeforeTheTermDoesNotHearOfItsEnd() {
        Reply<Lookup<LocalPartition>> opened = cluster.on(0).local();
        cluster.world(0).settle();
        LocalPartition local = found(require(opened));
        AtomicInteger ended = new AtomicInteger();
        cluster.world(0)
                .owner
                .post(
                        () -> {
                            local.onEnd(ended::incrementAndGet).cancel();
                            local.onEnd(() -> ended.addAndGet(10));
                        });
        cluster.world(0).settle();

        cluster.lead(1, 0, 1);

        assertThat(ended).hasValue(10);
    }

    /// R8 (KAFKA-20634): what a coordinator waits for does not count in a later term, whatever then lies at its offset.
    @Test
    void whenLeadershipIsLostNothingThatWaitsIsAcknowledged() {
        Reply<Lookup<LocalPartition>> opened = cluster.on(0).local();
        cluster.world(0).settle();
        LocalPartition local = found(require(opened));
        List<AppendOutcome> settled = new ArrayList<>();
        AtomicInteger ended = new AtomicInteger();
        AtomicInteger woken = new AtomicInteger();
        cluster.world(0)
                .owner
                .post(
                        () -> {
                            local.onEnd(ended::incrementAndGet);
                            local.append(batch("commit"), settled::add);
                        });
        cluster.on(0).awaitBeyond(0, cluster.world(0).home, woken::incrementAndGet);
        Reply<AppendOutcome> append = cluster.append(0, Acks.ALL, "a");
        cluster.world(0).settle();
        assertThat(settled).isEmpty();

        cluster.lead(1, 0, 1);
        assertThat(require(append))
                .isInstanceOfSatisfying(
                        AppendOutcome.Failed.class,
                        failed -> assertThat(failed.why()).isEqualTo(Unavailable.NOT_LEADER));
        assertThat(settled).singleElement().isInstanceOf(AppendOutcome.Failed.class);
        assertThat(ended).hasValue(1);
        assertThat(woken).hasValue(1);
        assertThat(local.isLeading()).isFalse();

        List<Object> later = new ArrayList<>();
        cluster.world(0)
                .owner
                .post(
                        () -> {
                            local.append(batch("late"), later::add);
                            local.read(0, 1 << 20, later::add);
                        });
        cluster.world(0).settle();
        assertThat(later)
                .satisfiesExactly(
                        first -> assertThat(first).isInstanceOf(AppendOutcome.Failed.class),
                        second -> assertThat(second).isInstanceOf(ReadOutcome.Failed.class));
        cluster.append(1, Acks.ALL, "x", "y");
        cluster.world(1).settle();
        cluster.catchUp(0);
        cluster.fetch(0);
        assertThat(settled).hasSize(1);
        assertThat(cluster.values(0)).containsExactly("x", "y");
    }

    /// Another process has its id: the plan that names that as the leader is not about this one.
    @Test
    void whoStandsDownDoesNotLeadInThatTermAgain() {
        Reply<AppendOutcome> append = cluster.append(0, Acks.ALL, "a");
        Assignment planned = cluster.on(0).assignment();
        cluster.on(0).standDown();
        cluster.on(0).assign(planned);
        cluster.world(0).settle();
        assertThat(require(append)).isInstanceOf(AppendOutcome.Failed.class);
        assertThat(cluster.on(0).isLeaderHere()).isFalse();
        assertThat(require(cluster.append(0, Acks.ALL, "b")))
                .isInstanceOfSatisfying(
                        AppendOutcome.Failed.class,
                        failed -> assertThat(failed.why()).isEqualTo(Unavailable.NOT_LEADER));
        cluster.lead(0, 0, 1);
        assertThat(cluster.on(0).isLeaderHere()).as("the next term").isTrue();
    }

    /// A new leader's coordinators read what the old one has acknowledged, though the watermark lags.
    @Test
    void aCoordinatorReadsTheWholeLogOfItsLeader() {
        Reply<AppendOutcome> append = cluster.append(0, Acks.ALL, "a");
        cluster.world(0).settle();
        cluster.fetch(1);
        cluster.ask(0, 1, new FetchPosition(0, 1, 0));
        cluster.world(0).turn();
        assertThat(require(append)).isInstanceOf(AppendOutcome.Acknowledged.class);
        cluster.lead(1, 0, 1);
        assertThat(cluster.status(1).highWatermark()).isZero();
        Reply<Lookup<LocalPartition>> opened = cluster.on(1).local();
        cluster.world(1).settle();
        LocalPartition local = found(require(opened));
        List<ReadOutcome> read = new ArrayList<>();
        cluster.world(1).owner.post(() -> local.read(0, 1 << 20, read::add));
        cluster.world(1).settle();
        assertThat(read)
                .singleElement()
                .isInstanceOfSatisfying(
                        ReadOutcome.Found.class,
                        found -> assertThat(found.records().sizeInBytes()).isPositive());
    }

    private static LocalPartition found(Lookup<LocalPartition> lookup) {
        if (lookup instanceof Lookup.Found(LocalPartition local)) {
            return local;
        }
        throw new AssertionError("not open: " + lookup);
    }

    @Test
    void aTimeThatIsUpIsTold() {
        Reply<AppendOutcome> append = cluster.append(0, Acks.ALL, "a");
        cluster.world(0).settle();
        cluster.world(0).time.advance(Duration.ofMillis(PartitionWorld.TIMEOUT_MILLIS - 1));
        assertThat(append.isDone()).isFalse();
        cluster.world(0).time.advance(Duration.ofMillis(1));
        cluster.world(0).turn();
        assertThat(require(append))
                .isInstanceOfSatisfying(
                        AppendOutcome.Failed.class,
                        failed -> {
                            assertThat(failed.why()).isEqualTo(Unavailable.TIMED_OUT);
                            assertThat(failed.sentence()).contains("orders-0", "[0, 1]");
                        });
    }

    @Test
    void aHastyProducerDoesNotWaitForAPatientOne() {
        cluster.append(0, Acks.ALL, "a");
        Reply<AppendOutcome> hasty =
                cluster.on(0).append(batch("b"), Acks.ALL, 100, cluster.world(0).home);
        cluster.world(0).settle();
        cluster.world(0).time.advance(Duration.ofMillis(100));
        cluster.world(0).turn();
        assertThat(hasty.isDone()).isTrue();
    }

    /// The followers' long poll: the log's end counts, not the watermark.
    @Test
    void aWaitingFollowerIsWokenByWhatIsAppended() {
        AtomicInteger woken = new AtomicInteger();
        Partition.Wait wait =
                cluster.on(0)
                        .awaitAsReplica(
                                0, Long.MAX_VALUE, cluster.world(0).home, woken::incrementAndGet);
        cluster.world(0).turn();
        cluster.append(0, Acks.ALL, "a");
        assertThat(woken).hasValue(1);
        cluster.append(0, Acks.ALL, "b");
        wait.cancel();
        assertThat(woken).hasValue(1);
        cluster.on(0)
                .awaitAsReplica(1, Long.MAX_VALUE, cluster.world(0).home, woken::incrementAndGet);
        cluster.world(0).turn();
        assertThat(woken).as("there is more already").hasValue(2);
    }

    @Test
    void aWaitingFollowerIsWokenByTheWatermarkIfItWants() {
        cluster.append(0, Acks.ALL, "a");
        cluster.world(0).settle();
        cluster.fetch(1);
        AtomicInteger woken = new AtomicInteger();
        AtomicInteger indifferent = new AtomicInteger();
        cluster.on(0).awaitAsReplica(1, 0, cluster.world(0).home, woken::incrementAndGet);
        cluster.on(0)
                .awaitAsReplica(
                        1, Long.MAX_VALUE, cluster.world(0).home, indifferent::incrementAndGet);
        cluster.world(0).turn();
        assertThat(woken).hasValue(0);
        cluster.ask(0, 1, cluster.position(1));
        cluster.world(0).turn();
        assertThat(woken).hasValue(1);
        assertThat(indifferent).hasValue(0);
        cluster.append(0, Acks.ALL, "b");
        assertThat(woken).hasValue(1);
        assertThat(indifferent).hasValue(1);
    }

    @Test
    void aWaitingFollowerIsWokenByTheEndOfTheTerm() {
        AtomicInteger woken = new AtomicInteger();
        cluster.on(0).awaitAsReplica(0, 0, cluster.world(0).home, woken::incrementAndGet);
        cluster.world(0).turn();
        cluster.lead(1, 0, 1);
        assertThat(woken).hasValue(1);
        cluster.on(0).awaitAsReplica(0, 0, cluster.world(0).home, woken::incrementAndGet);
        cluster.world(0).turn();
        assertThat(woken).as("nobody waits at a follower").hasValue(2);
    }

    /// Q22: records that the leader has given up are given up by its followers.
    @Test
    void aFollowerFollowsTheStartOfTheLog() {
        cluster.append(0, Acks.LEADER, "a");
        cluster.append(0, Acks.ALL, "b");
        cluster.world(0).time.advance(PartitionWorld.FLUSH_INTERVAL);
        cluster.world(0).settle();
        cluster.catchUp(1);
        cluster.catchUp(1);
        Reply<DeleteOutcome> deleted = cluster.on(0).deleteBefore(1, cluster.world(0).home);
        cluster.world(0).settle();
        assertThat(require(deleted)).isEqualTo(new DeleteOutcome.Deleted(1));
        cluster.fetch(1);
        assertThat(cluster.status(1).startOffset()).isEqualTo(1);
        assertThat(cluster.on(1).startOffsetSeen()).isEqualTo(1);
        assertThat(cluster.values(1)).containsExactly("b");
    }

    /// KIP-101: a leader that has written nothing yet already answers for its term.
    @Test
    void aLeaderNotesItsTermBeforeItsFirstBatch() {
        cluster.append(0, Acks.LEADER, "a");
        cluster.catchUp(1);
        cluster.lead(1, 0, 1);
        cluster.lead(1, 0, 1);
        Reply<Lookup<LeaderEpochs.End>> end = cluster.on(1).endOfEpoch(2, cluster.world(1).home);
        cluster.world(1).settle();
        assertThat(require(end)).isInstanceOf(Lookup.Found.class);
        assertThat(cluster.ask(1, 0, new FetchPosition(2, 7, 2)))
                .isEqualTo(new Diverged(2, 1, 0, 0));
    }
}
