package io.sluice.partition;

import static io.sluice.partition.PartitionWorld.require;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.DiskException.Kind;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.log.AppendResult;
import io.sluice.log.TopicSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Disks that fail and topics that are deleted: everybody who waits gets an answer, and nobody an acknowledgement that is not true (Q25, Q32).
class PartitionFailureTest {
    @TempDir Path folder;
    private PartitionWorld world;
    private Partition orders;

    @BeforeEach
    void begin() {
        world = new PartitionWorld(folder);
        orders = world.add("orders", 0, TopicSettings.defaults());
        world.open(orders);
    }

    @Test
    void afterAFailedFsyncNobodyIsAcknowledged() {
        Reply<AppendOutcome> covered = world.append(orders, Acks.ALL, "a");
        world.turn();
        Reply<AppendOutcome> meanwhile = world.append(orders, Acks.ALL, "b");
        world.turn();
        world.disk.failForces();
        world.flushOne();
        assertThat(List.of(covered, meanwhile)).allSatisfy(this::isOffline);

        Reply<AppendOutcome> all = world.append(orders, Acks.ALL, "c");
        Reply<AppendOutcome> leader = world.append(orders, Acks.LEADER, "d");
        Reply<ReadOutcome> read = orders.read(0, 1 << 20, true, world.home);
        Reply<DeleteOutcome> deleted = orders.deleteAll(world.home);
        world.settle();
        assertThat(List.of(all, leader)).allSatisfy(this::isOffline);
        assertThat(require(read)).isInstanceOf(ReadOutcome.Failed.class);
        assertThat(require(deleted)).isInstanceOf(DeleteOutcome.Failed.class);
        assertThat(world.counters.partitionsOffline.sum()).isEqualTo(1);
        assertThat(world.counters.partitionsOpen.sum()).isZero();
    }

    /// There may be thousands on the disk that has failed.
    @Test
    void aLogThatHasFailedLetsGoOfItsFiles() {
        world.append(orders, Acks.ALL, "a");
        world.turn();
        assertThat(world.disk.openFiles()).isPositive();
        world.disk.failForces();
        world.settle();

        assertThat(orders.isOffline()).isTrue();
        assertThat(world.disk.openFiles()).isZero();
    }

    /// With others that could lead instead, a broker with such a disk should stop: it has to hear of it, once for each log.
    @Test
    void theBrokerIsToldThatItsDiskHasFailed() {
        List<String> told = new ArrayList<>();
        world.shard.onDiskFailure(told::add);
        world.append(orders, Acks.LEADER, "a");
        world.turn();
        world.settle();
        world.disk.failWrites();
        world.append(orders, Acks.LEADER, "b");
        world.append(orders, Acks.LEADER, "c");
        world.settle();
        assertThat(told).hasSize(1);
        assertThat(told.getFirst())
                .contains("orders-0 failed on its disk")
                .endsWith("Check the disk, then start the broker again.");
    }

    /// A force that failed once says nothing when it succeeds the next time: the kernel forgets what it could not write.
    @Test
    void aFailedFsyncIsNeverRepeated() {
        world.append(orders, Acks.ALL, "a");
        world.disk.failForces();
        world.settle();
        world.time.advance(PartitionWorld.FLUSH_INTERVAL.multipliedBy(3));
        assertThat(world.flushesWaiting()).isZero();
    }

    @Test
    void aFailureOfOnePartitionIsNoneOfTheOthers() {
        world.append(orders, Acks.ALL, "a");
        world.turn();
        world.disk.failForces();
        world.settle();
        Partition other = world.add("other", 0, TopicSettings.defaults());
        Reply<AppendOutcome> reply = world.append(other, Acks.LEADER, "b");
        world.turn();
        world.workers.runOne(Workers.Kind.READ);
        world.turn();
        assertThat(require(reply)).isInstanceOf(AppendOutcome.Acknowledged.class);
    }

    @Test
    void aFailedWriteAnswersThoseWhoseFsyncWasAboutToBegin() {
        Reply<AppendOutcome> before = world.append(orders, Acks.ALL, "a");
        world.owner.post(world.disk::failWrites);
        Reply<AppendOutcome> failed = world.append(orders, Acks.ALL, "b");
        world.settle();
        isRefusedOffline(failed);
        isOffline(before);
        assertThat(world.counters.partitionsOffline.sum()).isEqualTo(1);
    }

    @Test
    void aFailedWriteLeavesTheFsyncUnderWayToItsOwnEnd() {
        Reply<AppendOutcome> before = world.append(orders, Acks.ALL, "a");
        world.turn();
        assertThat(world.flushesWaiting()).isEqualTo(1);
        world.disk.failWrites();
        Reply<AppendOutcome> failed = world.append(orders, Acks.ALL, "b");
        world.turn();
        isRefusedOffline(failed);
        world.flushOne();
        world.settle();
        assertThat(require(before)).isInstanceOf(AppendOutcome.Acknowledged.class);
        assertThat(world.counters.partitionsOffline.sum()).isEqualTo(1);
        Reply<AppendOutcome> later = world.append(orders, Acks.LEADER, "c");
        world.settle();
        isOffline(later);
    }

    /// Writes are refused with a reason, reads go on, and it recovers when there is room again.
    @Test
    void aFullDiskRefusesWritesUntilThereIsRoom() {
        world.appendDurably(orders, "a");
        world.disk.full(true);
        Reply<AppendOutcome> refused = world.append(orders, Acks.ALL, "b");
        world.settle();
        assertThat(require(refused))
                .isInstanceOfSatisfying(
                        AppendOutcome.Rejected.class,
                        rejected ->
                                assertThat(rejected.reason())
                                        .isEqualTo(AppendResult.Reason.DISK_FULL));
        assertThat(world.valuesFrom(orders, 0)).containsExactly("a");
        assertThat(world.counters.appendsWithoutRoom.sum()).isEqualTo(1);
        world.disk.full(false);
        world.appendDurably(orders, "c");
        assertThat(world.valuesFrom(orders, 0)).containsExactly("a", "c");
    }

    @Test
    void whenTheLogCannotBeOpenedAllWhoWaitAreTold() {
        world.appendDurably(orders, "a");
        PartitionWorld next = new PartitionWorld(folder);
        Partition again = next.add("orders", 0, TopicSettings.defaults());
        next.disk.failOpens(Kind.IO);
        Reply<AppendOutcome> append = next.append(again, Acks.LEADER, "b");
        Reply<ReadOutcome> read = again.read(0, 1 << 20, true, next.home);
        next.settle();
        isOffline(append);
        assertThat(require(read)).isInstanceOf(ReadOutcome.Failed.class);
        assertThat(next.counters.partitionsOffline.sum()).isEqualTo(1);
    }

    /// What failed may have been an fsync, which succeeds the next time and proves nothing. Others on the same disk may be well.
    @Test
    void aLogWhoseOpeningFailsOnTheDiskIsNotOpenedAgainAndTheBrokerIsTold() {
        world.appendDurably(orders, "a");
        PartitionWorld next = new PartitionWorld(folder);
        List<String> told = new ArrayList<>();
        next.shard.onDiskFailure(told::add);
        Partition again = next.add("orders", 0, TopicSettings.defaults());
        next.disk.failOpens(Kind.IO);
        isOffline(append(next, again, "b"));
        assertThat(told)
                .singleElement()
                .asString()
                .startsWith(
                        "orders-0 cannot be opened, since its disk has failed: Cannot open orders-0/")
                .endsWith("Check the disk, then start the broker again.");

        next.disk.failOpens(null);
        next.time.advance(Duration.ofMinutes(10));
        next.settle();
        isOffline(append(next, again, "c"));
        Partition other = next.add("other", 0, TopicSettings.defaults());
        assertThat(require(append(next, other, "d")))
                .isInstanceOf(AppendOutcome.Acknowledged.class);
    }

    @Test
    void aLogThatCannotBeOpenedForWantOfAFileHandleIsTriedAgain() {
        world.appendDurably(orders, "a");
        PartitionWorld next = new PartitionWorld(folder);
        List<String> told = new ArrayList<>();
        next.shard.onDiskFailure(told::add);
        Partition again = next.add("orders", 0, TopicSettings.defaults());
        next.disk.failOpens(Kind.TOO_MANY_OPEN);
        isOffline(append(next, again, "b"));
        next.disk.failOpens(null);
        next.time.advance(Duration.ofMinutes(1));
        assertThat(require(append(next, again, "c")))
                .isInstanceOf(AppendOutcome.Acknowledged.class);
        assertThat(told).isEmpty();
    }

    /// Q13: damaged is never served.
    @Test
    void damagedRecordsAreNotServed() {
        world.appendDurably(orders, "a");
        world.appendDurably(orders, "b");
        Reply<Boolean> closed = close();
        assertThat(require(closed)).isTrue();
        world.damage("orders-0/00000000000000000000.log", 70);
        PartitionWorld next = new PartitionWorld(folder, world.points.all());
        Partition again = next.add("orders", 0, TopicSettings.defaults());
        Reply<ReadOutcome> read = again.read(0, 1 << 20, true, next.home);
        next.settle();
        assertThat(require(read)).isInstanceOf(ReadOutcome.Damaged.class);
    }

    @Test
    void aDeletedPartitionIsNotHere() {
        world.appendDurably(orders, "a");
        Reply<Boolean> retired = orders.retire(world.home);
        world.settle();
        assertThat(require(retired)).isTrue();
        Reply<AppendOutcome> append = world.append(orders, Acks.ALL, "b");
        Reply<ReadOutcome> read = orders.read(0, 1 << 20, true, world.home);
        world.settle();
        assertThat(require(append))
                .isEqualTo(new AppendOutcome.Failed(Unavailable.NOT_HERE, "orders-0 was deleted."));
        assertThat(require(read))
                .isEqualTo(new ReadOutcome.Failed(Unavailable.NOT_HERE, "orders-0 was deleted."));
        assertThat(world.points.find(orders.id())).isNull();
        assertThat(world.counters.partitionsOpen.sum()).isZero();
        assertThat(orders.highWatermarkSeen()).isEqualTo(-1);
    }

    /// Otherwise a deleted topic would keep its place on the disk until the broker stops.
    @Test
    void aDeletedPartitionLetsGoOfItsFiles() {
        world.appendDurably(orders, "a");
        assertThat(world.disk.openFiles()).isPositive();
        orders.retire(world.home);
        world.settle();
        assertThat(world.disk.openFiles()).isZero();
    }

    @Test
    void aPartitionDeletedWhileItOpensLetsGoOfItsFiles() {
        world.appendDurably(orders, "a");
        PartitionWorld next = new PartitionWorld(folder);
        Partition again = next.add("orders", 0, TopicSettings.defaults());
        Reply<AppendOutcome> append = next.append(again, Acks.ALL, "b");
        next.turn();
        Reply<Boolean> retired = again.retire(next.home);
        next.turn();
        assertThat(retired.isDone()).as("a worker still has its hands on the files").isFalse();
        next.settle();
        next.time.advance(Duration.ofSeconds(1));
        assertThat(require(append))
                .isEqualTo(new AppendOutcome.Failed(Unavailable.NOT_HERE, "orders-0 was deleted."));
        assertThat(require(retired)).isTrue();
        assertThat(next.disk.openFiles()).isZero();
        assertThat(next.counters.partitionsOpen.sum()).isZero();
    }

    @Test
    void deletionWaitsForTheFsyncThatIsUnderWay() {
        Reply<AppendOutcome> append = world.append(orders, Acks.ALL, "a");
        world.turn();
        Reply<Boolean> retired = orders.retire(world.home);
        world.time.advance(Duration.ofSeconds(1));
        assertThat(retired.isDone()).isFalse();
        world.flushOne();
        world.time.advance(Duration.ofSeconds(1));
        assertThat(require(append)).isInstanceOf(AppendOutcome.Acknowledged.class);
        assertThat(require(retired)).isTrue();
        assertThat(world.disk.openFiles()).isZero();
    }

    private static Reply<AppendOutcome> append(
            PartitionWorld where, Partition partition, String value) {
        Reply<AppendOutcome> reply = where.append(partition, Acks.ALL, value);
        where.settle();
        return reply;
    }

    private Reply<Boolean> close() {
        Reply<Boolean> closed = new Reply<>();
        world.owner.post(() -> world.shard.close().whenDone(_ -> closed.complete(true)));
        world.settle();
        return closed;
    }

    private void isOffline(Reply<AppendOutcome> reply) {
        assertThat(require(reply))
                .isInstanceOfSatisfying(
                        AppendOutcome.Failed.class,
                        failed -> assertThat(failed.why()).isEqualTo(Unavailable.OFFLINE));
    }

    private static void isRefusedOffline(Reply<AppendOutcome> reply) {
        assertThat(require(reply))
                .isInstanceOfSatisfying(
                        AppendOutcome.Rejected.class,
                        rejected ->
                                assertThat(rejected.reason())
                                        .isEqualTo(AppendResult.Reason.OFFLINE));
    }
}
