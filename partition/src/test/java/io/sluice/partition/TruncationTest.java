package io.sluice.partition;

import static io.sluice.partition.PartitionWorld.require;
import static io.sluice.partition.PartitionWorld.settings;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.DiskException;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.log.TopicSettings;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.partition.ReplicaReadOutcome.Diverged;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Q22: logs that differ become one again, by epochs and never below what is committed.
class TruncationTest {
    @TempDir Path folder;
    private ReplicaCluster cluster;

    @BeforeEach
    void begin() {
        cluster = new ReplicaCluster(folder, 2, TopicSettings.defaults());
        cluster.lead(0, 0, 1);
        commit(0, 1, "a", "b");
    }

    private void commit(int leader, int follower, String... values) {
        for (String value : values) {
            Reply<AppendOutcome> append = cluster.append(leader, Acks.ALL, value);
            cluster.world(leader).settle();
            cluster.catchUp(follower);
            cluster.fetch(follower);
            cluster.world(leader).settle();
            assertThat(require(append)).isInstanceOf(AppendOutcome.Acknowledged.class);
        }
    }

    /// Broker 0 has written what nobody has got, broker 1 leads and goes on.
    private void diverge() {
        cluster.append(0, Acks.LEADER, "lost");
        cluster.append(0, Acks.LEADER, "lost too");
        cluster.world(0).time.advance(PartitionWorld.FLUSH_INTERVAL);
        cluster.world(0).settle();
        cluster.lead(1, 1);
        cluster.append(1, Acks.ALL, "c");
        cluster.world(1).settle();
    }

    @Test
    void aLogIsCutWhereItDiffers() {
        diverge();
        assertThat(cluster.status(0).endOffset()).isEqualTo(4);
        assertThat(cluster.ask(1, 0, cluster.position(0))).isEqualTo(new Diverged(0, 2, 0, 3));
        assertThat(cluster.fetch(0)).isEqualTo(new FollowOutcome.Next(new FetchPosition(1, 2, 0)));
        assertThat(cluster.status(0).endOffset()).isEqualTo(2);
        cluster.catchUp(0);
        assertThat(cluster.values(0)).containsExactly("a", "b", "c");
        assertThat(cluster.world(0).counters.logsCut.sum()).isEqualTo(1);
    }

    /// R1 (KAFKA-1211, KIP-101): a follower that starts again keeps what lies behind its watermark; it may be acknowledged, and it may lead.
    @Test
    void aRestartedFollowerKeepsWhatIsBehindItsWatermark() {
        Reply<AppendOutcome> append = cluster.append(0, Acks.ALL, "c");
        cluster.world(0).settle();
        cluster.fetch(1);
        cluster.ask(0, 1, cluster.position(1));
        cluster.world(0).turn();
        assertThat(require(append)).isInstanceOf(AppendOutcome.Acknowledged.class);
        assertThat(cluster.status(1).highWatermark()).isEqualTo(2);

        cluster.restart(1);
        cluster.lead(1, 1);
        cluster.settle();
        cluster.status(1);
        cluster.world(1).settle();
        assertThat(cluster.values(1)).containsExactly("a", "b", "c");
        cluster.catchUp(0);
        assertThat(cluster.values(0)).containsExactly("a", "b", "c");
    }

    /// R2 (KAFKA-6361, KIP-279): after fast failovers the leader's last common epoch may not be known to the follower.
    @Test
    void aLogOfATermThatTheLeaderNeverKnewIsCut() {
        cluster.append(0, Acks.LEADER, "x0");
        cluster.lead(1, 0, 1);
        cluster.append(1, Acks.LEADER, "y1");
        cluster.append(1, Acks.LEADER, "y1");
        cluster.elect(0, 0, 1);
        cluster.tell(0);
        cluster.append(0, Acks.LEADER, "x2");
        // Broker 0: a b x0(epoch 0) x2(epoch 2). Broker 1: a b y1 y1 (epoch 1).
        cluster.elect(1, 0, 1);
        cluster.tell(1);
        cluster.tell(0);
        cluster.append(1, Acks.ALL, "y3");
        cluster.world(1).settle();
        cluster.catchUp(0);
        cluster.fetch(0);
        assertThat(cluster.values(0)).containsExactly("a", "b", "y1", "y1", "y3");
        assertThat(cluster.values(1)).containsExactly("a", "b", "y1", "y1", "y3");
    }

    /// A term in which nothing was written leaves nothing that could be compared, and nothing that stands in the way.
    @Test
    void aLeaderThatWroteNothingFollowsWithoutACut() {
        cluster.elect(0, 0);
        cluster.tell(0);
        cluster.lead(1, 1);
        cluster.append(1, Acks.ALL, "c");
        cluster.world(1).settle();
        cluster.catchUp(0);
        assertThat(cluster.values(0)).containsExactly("a", "b", "c");
        assertThat(cluster.world(0).counters.logsCut.sum()).isZero();
    }

    /// The new leader may go on with batches of a term that the old one believed to be over.
    @Test
    void aNewLeadersOlderBatchesAreTakenIn() {
        cluster.append(0, Acks.LEADER, "c");
        cluster.append(0, Acks.LEADER, "d");
        cluster.fetch(1);
        cluster.elect(0, 0, 1);
        cluster.tell(0);
        cluster.lead(1, 0, 1);
        assertThat(cluster.position(0)).isEqualTo(new FetchPosition(2, 4, 0));
        cluster.catchUp(0);
        cluster.append(1, Acks.ALL, "e");
        cluster.world(1).settle();
        cluster.catchUp(0);
        cluster.fetch(0);
        assertThat(cluster.values(0)).containsExactly("a", "b", "c", "d", "e");
    }

    /// The checkpoint must not claim what is about to be cut: the next start would take it for damage.
    @Test
    void theRecoveryPointIsLoweredOnDiskBeforeTheCut() {
        diverge();
        cluster.world(0).checkpoint();
        assertThat(cluster.world(0).checkpointed().get("orders-0"))
                .extracting(RecoveryPoint::durableOffset)
                .isEqualTo(4L);
        FetchPosition position = cluster.position(0);
        Reply<FollowOutcome> cut = cluster.take(0, 1, cluster.ask(1, 0, position));
        PartitionWorld world = cluster.world(0);
        assertThat(world.workers.waiting(Workers.Kind.HOUSEKEEPING)).isEqualTo(1);
        assertThat(world.workers.waiting(Workers.Kind.READ)).as("the cut waits").isZero();
        world.workers.runOne(Workers.Kind.HOUSEKEEPING);
        world.turn();
        assertThat(world.workers.waiting(Workers.Kind.READ)).isEqualTo(1);
        assertThat(world.checkpointed().get("orders-0"))
                .isEqualTo(RecoveryPoint.NOTHING.withHighWatermark(2));
        world.workers.runOne(Workers.Kind.READ);

        // A kill before the owner hears of it.
        assertThat(cut.isDone()).isFalse();
        cluster.restart(0);
        assertThat(cluster.status(0).endOffset()).isEqualTo(2);
        assertThat(cluster.status(0).highWatermark()).isEqualTo(2);
        assertThat(cluster.world(0).counters.damages.sum()).isZero();
        cluster.catchUp(0);
        assertThat(cluster.values(0)).containsExactly("a", "b", "c");
    }

    @Test
    void aCutWaitsForTheFsyncThatIsUnderWay() {
        cluster.append(0, Acks.ALL, "lost");
        PartitionWorld world = cluster.world(0);
        assertThat(world.flushesWaiting()).isEqualTo(1);
        cluster.lead(1, 1);
        cluster.append(1, Acks.ALL, "c");
        cluster.world(1).settle();
        Reply<FollowOutcome> cut =
                cluster.take(0, 1, cluster.ask(1, 0, new FetchPosition(1, 3, 0)));
        Reply<Lookup<PartitionStatus>> status = cluster.on(0).status(world.home);
        world.time.advance(Duration.ofMillis(20));
        assertThat(world.workers.waiting(Workers.Kind.READ)).isZero();
        world.flushOne();
        world.time.advance(Duration.ofMillis(20));
        assertThat(world.workers.waiting(Workers.Kind.READ)).isEqualTo(1);
        assertThat(status.isDone()).as("questions wait meanwhile").isFalse();
        world.settle();
        assertThat(require(cut)).isEqualTo(new FollowOutcome.Next(new FetchPosition(1, 2, 0)));
        assertThat(require(status)).isInstanceOf(Lookup.Found.class);
    }

    @Test
    void aTermThatEndsDuringTheCutLeavesItWithoutAnAnswer() {
        diverge();
        Reply<FollowOutcome> cut = cluster.take(0, 1, cluster.ask(1, 0, cluster.position(0)));
        cluster.lead(0, 0);
        cluster.settle();
        assertThat(require(cut)).isEqualTo(new FollowOutcome.Stale(2));
        assertThat(cluster.status(0).endOffset()).isEqualTo(2);
        cluster.append(0, Acks.ALL, "mine");
        cluster.settle();
        assertThat(cluster.values(0)).containsExactly("a", "b", "mine");
    }

    @Test
    void aTopicDeletedDuringTheCutLetsGoOfItsFiles() {
        diverge();
        Reply<FollowOutcome> cut = cluster.take(0, 1, cluster.ask(1, 0, cluster.position(0)));
        PartitionWorld world = cluster.world(0);
        Reply<Boolean> retired = cluster.on(0).retire(world.home);
        world.settle();
        world.time.advance(Duration.ofSeconds(1));
        world.settle();
        assertThat(require(retired)).isTrue();
        assertThat(require(cut)).isInstanceOf(FollowOutcome.Stale.class);
        assertThat(world.disk.openFiles()).isZero();
    }

    /// A leader with a full disk hands over, and has to cut what nobody else has got. That takes a little room, for the checkpoint: without it, it waits, and the disk does not count as failed.
    @Test
    void aFullDiskPutsTheCutOffAndIsNotTakenForAFailedOne() {
        diverge();
        PartitionWorld world = cluster.world(0);
        world.checkpoint();
        world.disk.full(true);
        Reply<FollowOutcome> cut = cluster.take(0, 1, cluster.ask(1, 0, cluster.position(0)));
        Reply<Lookup<PartitionStatus>> status = cluster.on(0).status(world.home);
        Reply<Lookup<PartitionStatus>> another = cluster.on(0).status(world.home);
        world.settle();
        world.time.advance(Duration.ofMillis(20));
        world.settle();
        assertThat(require(cut)).isInstanceOf(FollowOutcome.Failed.class);
        assertThat(require(status)).as("who asked meanwhile").isInstanceOf(Lookup.Found.class);
        assertThat(require(another)).isInstanceOf(Lookup.Found.class);
        assertThat(world.counters.partitionsOffline.sum()).isZero();
        assertThat(world.counters.appendsWithoutRoom.sum()).isEqualTo(1);
        assertThat(cluster.status(0).endOffset()).as("it has what it had").isEqualTo(4);
        assertThat(cluster.status(0).highWatermark()).isEqualTo(2);

        world.disk.full(false);
        cluster.catchUp(0);
        assertThat(cluster.values(0)).containsExactly("a", "b", "c");
    }

    /// I8: committed records are never cut; a leader without them is a broken cluster, and a person must look.
    @Test
    void nothingCommittedIsEverCut() {
        Reply<FollowOutcome> cut = cluster.on(1).cutToLeader(0, 0, 1, cluster.world(1).home);
        cluster.world(1).settle();
        assertThat(require(cut))
                .isInstanceOfSatisfying(
                        FollowOutcome.Failed.class,
                        failed ->
                                assertThat(failed.sentence())
                                        .contains("orders-0", "up to 2", "up to 1", "folder"));
        assertThat(cluster.on(1).isOffline()).isTrue();
        assertThat(cluster.world(1).counters.partitionsOffline.sum()).isEqualTo(1);
        Reply<Lookup<FetchPosition>> position = cluster.on(1).fetchPosition(cluster.world(1).home);
        cluster.world(1).settle();
        assertThat(require(position)).isInstanceOf(Lookup.Failed.class);
    }

    /// Whoever allows an unclean election has agreed that its leader is right.
    @Test
    void afterAnUncleanElectionTheLeaderIsRight() {
        cluster =
                new ReplicaCluster(
                        folder.resolve("u"), 2, settings("unclean.leader.election.enable", "true"));
        cluster.lead(0, 0, 1);
        commit(0, 1, "a", "b");
        cluster.lead(0, 0);
        cluster.append(0, Acks.ALL, "gone");
        cluster.settle();
        assertThat(cluster.values(0)).containsExactly("a", "b", "gone");
        cluster.lead(1, 1);
        cluster.append(1, Acks.ALL, "c");
        cluster.settle();
        cluster.catchUp(0);
        assertThat(cluster.values(0)).containsExactly("a", "b", "c");
        assertThat(cluster.world(0).counters.committedRecordsCut.sum()).isEqualTo(1);
    }

    /// A follower that was away too long begins anew.
    @Test
    void aFollowerBeginsAnewWhereItsLeaderDoes() {
        cluster.world(1).checkpoint();
        cluster.inSync(0);
        for (String value : new String[] {"c", "d", "e"}) {
            cluster.append(0, Acks.ALL, value);
            cluster.world(0).settle();
        }
        Reply<DeleteOutcome> deleted = cluster.on(0).deleteBefore(4, cluster.world(0).home);
        cluster.world(0).settle();
        assertThat(require(deleted)).isEqualTo(new DeleteOutcome.Deleted(4));
        assertThat(cluster.ask(0, 1, cluster.position(1)))
                .isEqualTo(new ReplicaReadOutcome.OutOfRange(4, 5));
        assertThat(cluster.fetch(1)).isEqualTo(new FollowOutcome.Next(new FetchPosition(0, 4, -1)));
        assertThat(cluster.status(1).startOffset()).isEqualTo(4);
        assertThat(cluster.status(1).highWatermark()).isEqualTo(4);
        cluster.catchUp(1);
        assertThat(cluster.values(1)).containsExactly("e");
        cluster.restart(1);
        assertThat(cluster.status(1).startOffset()).isEqualTo(4);
        assertThat(cluster.world(1).counters.damages.sum()).isZero();
    }

    @Test
    void anOldAnswerDoesNotMakeAFollowerBeginAnew() {
        Reply<FollowOutcome> restart = cluster.on(1).restartFromLeader(0, 1, cluster.world(1).home);
        cluster.world(1).settle();
        assertThat(require(restart)).isEqualTo(new FollowOutcome.Next(new FetchPosition(0, 2, 0)));
        assertThat(cluster.values(1)).containsExactly("a", "b");
    }

    @Test
    void aCutThatFailsOnTheDiskTakesThePartitionOffline() {
        diverge();
        FetchPosition position = cluster.position(0);
        cluster.world(0).disk.failOpens(DiskException.Kind.IO);
        Reply<FollowOutcome> cut = cluster.take(0, 1, cluster.ask(1, 0, position));
        cluster.world(0).settle();
        assertThat(require(cut)).isInstanceOf(FollowOutcome.Failed.class);
        assertThat(cluster.on(0).isOffline()).isTrue();
    }
}
