package io.sluice.partition;

import static io.sluice.partition.PartitionWorld.require;
import static io.sluice.partition.PartitionWorld.settings;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.log.TopicSettings;
import io.sluice.log.recovery.RecoveryPoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a stop, a kill and the years leave of a partition (Q8, Q12).
class PartitionRestartTest {
    @TempDir Path folder;
    private PartitionWorld world;
    private Partition orders;

    @BeforeEach
    void begin() {
        world = new PartitionWorld(folder);
        orders = world.add("orders", 0, TopicSettings.defaults());
    }

    private static Reply<Ending> close(PartitionWorld of) {
        Reply<Ending> closed = new Reply<>();
        of.owner.post(() -> of.shard.close().then(closed::complete, closed::fail));
        return closed;
    }

    private PartitionWorld restart(Map<String, RecoveryPoint> known) {
        PartitionWorld next = new PartitionWorld(folder, known);
        orders = next.add("orders", 0, TopicSettings.defaults());
        return next;
    }

    @Test
    void aKilledBrokerKeepsWhatItHasAcknowledged() {
        world.appendDurably(orders, "a");
        world.appendDurably(orders, "b");
        PartitionWorld next = restart(Map.of());
        assertThat(next.valuesFrom(orders, 0)).containsExactly("a", "b");
        next.appendDurably(orders, "c");
        assertThat(next.valuesFrom(orders, 0)).containsExactly("a", "b", "c");
    }

    @Test
    void aKilledBrokerLooksOnlyBehindItsLastCheckpoint() {
        world.appendDurably(orders, "a");
        world.owner.post(world.shard::checkpoint);
        world.turn();
        assertThat(world.points.takeChanged()).isTrue();
        assertThat(world.points.takeChanged()).isFalse();
        Map<String, RecoveryPoint> known = world.points.all();
        assertThat(known)
                .hasEntrySatisfying(
                        "orders-0", point -> assertThat(point.durableOffset()).isEqualTo(1));

        PartitionWorld all = restart(Map.of());
        all.open(orders);
        PartitionWorld tail = restart(known);
        tail.open(orders);
        assertThat(tail.counters.recoveredBytesScanned.sum())
                .isLessThan(all.counters.recoveredBytesScanned.sum());
        assertThat(tail.valuesFrom(orders, 0)).containsExactly("a");
    }

    @Test
    void aCleanStopPutsEverythingOnDisk() {
        world.append(orders, Acks.LEADER, "a");
        world.settle();
        assertThat(world.disk.forces()).isZero();
        Reply<Ending> closed = close(world);
        world.turn();
        assertThat(closed.isDone()).isFalse();
        world.settle();
        assertThat(require(closed)).isEqualTo(Ending.FLUSHED);
        assertThat(world.disk.forces()).isPositive();
        assertThat(world.disk.openFiles()).isZero();
        assertThat(world.points.all())
                .hasEntrySatisfying("orders-0", point -> assertThat(point.clean()).isTrue());

        PartitionWorld next = restart(world.points.all());
        next.open(orders);
        assertThat(next.counters.recoveredBytesScanned.sum()).isZero();
        assertThat(next.valuesFrom(orders, 0)).containsExactly("a");
    }

    @Test
    void aCleanStopWaitsForTheFsyncThatIsUnderWay() {
        Reply<AppendOutcome> append = world.append(orders, Acks.ALL, "a");
        world.turn();
        world.workers.runOne(Workers.Kind.READ);
        world.turn();
        assertThat(world.flushesWaiting()).isEqualTo(1);
        Reply<Ending> closed = close(world);
        world.time.advance(Duration.ofMillis(50));
        assertThat(closed.isDone()).isFalse();
        world.flushOne();
        assertThat(append.isDone()).isTrue();
        world.time.advance(Duration.ofMillis(50));
        world.settle();
        assertThat(require(closed)).isEqualTo(Ending.FLUSHED);
    }

    /// And is told from one that went well: the next start must not rely on it.
    @Test
    void aStopThatFailsOnTheDiskStillEnds() {
        world.append(orders, Acks.LEADER, "a");
        world.settle();
        world.disk.failForces();
        Reply<Ending> closed = close(world);
        world.settle();
        assertThat(require(closed)).isEqualTo(Ending.FAILED);
        assertThat(world.points.find(orders.id())).isNull();
    }

    /// What it had taken in before may be in the page cache alone: the next start must not take this for a clean stop.
    @Test
    void aStopWithAReplicaThatIsOutOfServiceIsNotWhole() {
        ReplicaCluster cluster =
                new ReplicaCluster(folder.resolve("cluster"), 2, settings("flush", "page-cache"));
        cluster.lead(0, 0, 1);
        cluster.append(0, Acks.LEADER, "a");
        cluster.settle();
        cluster.fetch(1);
        cluster.fetch(1);
        PartitionWorld follower = cluster.world(1);
        Reply<FollowOutcome> cut = cluster.on(1).restartFromLeader(0, 100, follower.home);
        follower.turn();
        Reply<Ending> closed = close(follower);
        follower.turn();
        assertThat(cut.isDone()).isFalse();
        assertThat(require(closed)).isEqualTo(Ending.PARTLY);
    }

    /// A date that is wrong must not delete what nobody can bring back; what is too much goes all the same.
    @Test
    void nothingIsDeletedByAgeWhileTheDateIsNotTrusted() {
        TopicSettings aging =
                settings("retention.ms", "1000", "file.delete.delay.ms", "0").withSegments(200, 0);
        Partition logs = world.add("logs", 0, aging);
        world.appendDurably(logs, "x".repeat(150));
        world.appendDurably(logs, "y".repeat(150));
        world.time.advance(Duration.ofDays(30));
        world.owner.post(() -> world.shard.keepHouse(false));
        world.settle();
        assertThat(logs.startOffsetSeen()).isZero();
        assertThat(world.counters.agingHeldBack.sum()).isEqualTo(1);
        world.owner.post(() -> world.shard.keepHouse(true));
        world.settle();
        assertThat(logs.startOffsetSeen()).isPositive();
    }

    /// Q8: old data is deleted by size, a segment at a time, and its file a little later.
    @Test
    void retentionDeletesWholeSegments() {
        TopicSettings small =
                settings("retention.bytes", "0", "file.delete.delay.ms", "1000")
                        .withSegments(200, 0);
        Partition logs = world.add("logs", 0, small);
        world.appendDurably(logs, "x".repeat(150));
        world.appendDurably(logs, "y".repeat(150));
        world.owner.post(world.shard::keepHouse);
        world.settle();
        assertThat(logs.startOffsetSeen()).isPositive();
        Reply<ReadOutcome> gone = logs.read(0, 1 << 20, true, world.home);
        world.settle();
        assertThat(require(gone)).isInstanceOf(ReadOutcome.OutOfRange.class);
        assertThat(world.disk.list("logs-0")).anyMatch(name -> name.endsWith(".deleted"));
        world.time.advance(Duration.ofSeconds(1));
        world.settle();
        assertThat(world.disk.list("logs-0")).noneMatch(name -> name.endsWith(".deleted"));
    }

    /// A full disk would stay full.
    @Test
    void aDeletionOfOldSegmentsThatFailedIsTriedAgain() {
        TopicSettings small =
                settings("retention.bytes", "0", "file.delete.delay.ms", "0").withSegments(200, 0);
        Partition logs = world.add("logs", 0, small);
        world.appendDurably(logs, "x".repeat(150));
        world.appendDurably(logs, "y".repeat(150));
        world.owner.post(world.shard::keepHouse);
        world.turn();
        world.disk.failRenames(true);
        world.workers.runOne(Workers.Kind.HOUSEKEEPING);
        world.disk.failRenames(false);
        world.settle();
        assertThat(world.disk.list("logs-0")).contains("00000000000000000000.log");

        world.owner.post(world.shard::keepHouse);
        world.settle();
        world.time.advance(Duration.ofSeconds(1));
        world.settle();
        assertThat(world.disk.list("logs-0"))
                .noneMatch(name -> name.startsWith("00000000000000000000."));
    }

    /// Only the last record of a key stays; the test's records all have the same.
    @Test
    void compactionKeepsTheLastRecordOfAKey() {
        TopicSettings compacted =
                settings("cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0")
                        .withSegments(100, 0);
        Partition accounts = world.add("accounts", 0, compacted);
        for (String value : new String[] {"one", "two", "three", "four"}) {
            world.appendDurably(accounts, value);
        }
        world.owner.post(world.shard::keepHouse);
        world.settle();
        assertThat(world.valuesFrom(accounts, 0))
                .doesNotContain("one", "two")
                .contains("four")
                .hasSizeLessThan(4);
    }

    /// Neither the next compaction nor a repair may wait for ever for one that has failed.
    @Test
    void aCompactionThatCannotBeMadeDurableIsNotTheLast() {
        TopicSettings compacted =
                settings("cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0")
                        .withSegments(100, 0);
        Partition accounts = world.add("accounts", 0, compacted);
        for (String value : new String[] {"one", "two", "three", "four"}) {
            world.appendDurably(accounts, value);
        }
        world.owner.post(world.shard::keepHouse);
        world.turn();
        world.workers.runOne(Workers.Kind.HOUSEKEEPING); // The compaction itself.
        world.turn();
        world.disk.failSyncs(true);
        world.workers.runOne(Workers.Kind.HOUSEKEEPING); // What makes it durable.
        world.disk.failSyncs(false);
        world.settle();
        assertThat(world.valuesFrom(accounts, 0)).doesNotContain("one");

        for (String value : new String[] {"five", "six", "seven"}) {
            world.appendDurably(accounts, value);
        }
        world.owner.post(world.shard::keepHouse);
        world.settle();
        assertThat(world.valuesFrom(accounts, 0)).doesNotContain("three", "five");
    }

    @Test
    void afterAFailureHousekeepingKeepsItsHandsOff() {
        TopicSettings small = settings("retention.bytes", "0").withSegments(200, 0);
        Partition logs = world.add("logs", 0, small);
        world.appendDurably(logs, "x".repeat(150));
        world.disk.failForces();
        world.append(logs, Acks.ALL, "y".repeat(150));
        world.settle();
        world.owner.post(world.shard::keepHouse);
        world.turn();
        assertThat(world.workers.waiting(Workers.Kind.HOUSEKEEPING)).isZero();
    }
}
