package io.sluice.partition;

import static io.sluice.partition.PartitionWorld.batch;
import static io.sluice.partition.PartitionWorld.batchFrom;
import static io.sluice.partition.PartitionWorld.require;
import static io.sluice.partition.PartitionWorld.settings;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.log.AppendResult;
import io.sluice.log.TopicSettings;
import io.sluice.log.producer.ProducerState;
import io.sluice.log.state.LeaderEpochs;
import io.sluice.record.BatchBuilder;
import io.sluice.record.LogRecord;
import io.sluice.record.PartitionId;
import io.sluice.record.Records;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a producer, a consumer and a coordinator see of one partition (Q5, Q10, Q24, Q25).
class PartitionTest {
    @TempDir Path folder;
    private PartitionWorld world;
    private Partition orders;

    @BeforeEach
    void begin() {
        world = new PartitionWorld(folder);
        orders = world.add("orders", 0, TopicSettings.defaults());
    }

    @Test
    void aPartitionThatNobodyUsesIsNotOnDisk() {
        world.settle();
        assertThat(world.counters.logsOpened.sum()).isZero();
        world.open(orders);
        assertThat(world.counters.logsOpened.sum()).isEqualTo(1);
        assertThat(world.disk.list("")).isEmpty();
        world.appendDurably(orders, "a");
        assertThat(world.disk.list("")).containsExactly("orders-0");
    }

    @Test
    void whatArrivesWhileTheLogOpensKeepsItsOrder() {
        List<Reply<AppendOutcome>> replies = new ArrayList<>();
        for (String value : List.of("a", "b", "c")) {
            replies.add(world.append(orders, Acks.LEADER, value));
            world.turn();
        }
        assertThat(world.workers.waiting(Workers.Kind.READ)).isEqualTo(1);
        assertThat(replies).noneMatch(Reply::isDone);
        world.settle();
        assertThat(replies).map(PartitionTest::baseOffset).containsExactly(0L, 1L, 2L);
        assertThat(world.valuesFrom(orders, 0)).containsExactly("a", "b", "c");
    }

    /// Q25: acks=1.
    @Test
    void aLeadersAckComesAtOnceAndTheRecordCanBeRead() {
        world.open(orders);
        Reply<AppendOutcome> reply = world.append(orders, Acks.LEADER, "a");
        world.turn();
        assertThat(require(reply)).isEqualTo(new AppendOutcome.Acknowledged(0, -1, 0));
        assertThat(world.disk.forces()).isZero();
        assertThat(highWatermark()).isEqualTo(1);
    }

    /// Q24, Q25 and the durability promise: acks=all.
    @Test
    void anAckOfAllComesAfterTheFsyncAndOnlyThenTheRecordCanBeRead() {
        world.open(orders);
        Reply<AppendOutcome> reply = world.append(orders, Acks.ALL, "a");
        world.turn();
        assertThat(reply.isDone()).isFalse();
        assertThat(highWatermark()).isZero();
        assertThat(world.disk.forces()).isZero();
        assertThat(readNow(0)).isEqualTo(new ReadOutcome.Found(empty(), 0, 0));

        world.flushOne();
        assertThat(world.disk.forces()).isPositive();
        assertThat(require(reply)).isEqualTo(new AppendOutcome.Acknowledged(0, -1, 0));
        assertThat(highWatermark()).isEqualTo(1);
        assertThat(world.valuesFrom(orders, 0)).containsExactly("a");
    }

    /// Whoever reads with a leader's ack behind an unsettled batch reads that one too: offsets have no holes.
    @Test
    void aLeadersAckMakesReadableWhatLiesBefore() {
        world.open(orders);
        Reply<AppendOutcome> all = world.append(orders, Acks.ALL, "a");
        Reply<AppendOutcome> leader = world.append(orders, Acks.LEADER, "b");
        world.turn();
        assertThat(all.isDone()).isFalse();
        assertThat(leader.isDone()).isTrue();
        assertThat(highWatermark()).isEqualTo(2);
    }

    @Test
    void whatNobodyWaitsForIsOnDiskALittleLater() {
        world.open(orders);
        Reply<AppendOutcome> reply = world.append(orders, Acks.NONE, "a");
        world.turn();
        assertThat(reply.isDone()).isTrue();
        assertThat(world.flushesWaiting()).isZero();
        world.time.advance(PartitionWorld.FLUSH_INTERVAL);
        assertThat(world.flushesWaiting()).isEqualTo(1);
        world.flushOne();
        assertThat(world.disk.forces()).isPositive();
    }

    /// Q33 in part: an idempotent producer that lost its answer asks again.
    @Test
    void aBatchSentAgainWaitsForTheSameFsync() {
        world.open(orders);
        Reply<AppendOutcome> first =
                orders.append(
                        batchFrom(9, 0, "a"), Acks.ALL, PartitionWorld.TIMEOUT_MILLIS, world.home);
        world.turn();
        Reply<AppendOutcome> again =
                orders.append(
                        batchFrom(9, 0, "a"), Acks.ALL, PartitionWorld.TIMEOUT_MILLIS, world.home);
        world.turn();
        assertThat(first.isDone()).isFalse();
        assertThat(again.isDone()).isFalse();
        world.flushOne();
        assertThat(baseOffset(first)).isZero();
        assertThat(baseOffset(again)).isZero();
        world.settle();
        assertThat(world.valuesFrom(orders, 0)).containsExactly("a");
    }

    @Test
    void aBatchSentAgainThatIsSafeAlreadyIsAnsweredAtOnce() {
        world.open(orders);
        orders.append(batchFrom(9, 0, "a"), Acks.ALL, PartitionWorld.TIMEOUT_MILLIS, world.home);
        world.settle();
        Reply<AppendOutcome> again =
                orders.append(
                        batchFrom(9, 0, "a"), Acks.ALL, PartitionWorld.TIMEOUT_MILLIS, world.home);
        world.turn();
        assertThat(baseOffset(again)).isZero();
        assertThat(world.flushesWaiting()).isZero();
    }

    @Test
    void aRefusedBatchLeavesNothingBehind() {
        world.open(orders);
        ByteBuffer broken = batch("a");
        broken.put(broken.limit() - 1, (byte) ~broken.get(broken.limit() - 1));
        Reply<AppendOutcome> refused =
                orders.append(broken, Acks.ALL, PartitionWorld.TIMEOUT_MILLIS, world.home);
        Reply<AppendOutcome> good = world.append(orders, Acks.ALL, "b");
        world.settle();
        assertThat(require(refused))
                .isInstanceOfSatisfying(
                        AppendOutcome.Rejected.class,
                        rejected ->
                                assertThat(rejected.reason())
                                        .isEqualTo(AppendResult.Reason.CORRUPT_MESSAGE));
        assertThat(baseOffset(good)).isZero();
        assertThat(world.valuesFrom(orders, 0)).containsExactly("b");
    }

    @Test
    void readingOutsideOfTheReadableRangeSaysWhatTheRangeIs() {
        world.appendDurably(orders, "a", "b", "c");
        assertThat(readNow(4)).isEqualTo(new ReadOutcome.OutOfRange(0, 3));
        assertThat(readNow(-1)).isEqualTo(new ReadOutcome.OutOfRange(0, 3));
        assertThat(readNow(3)).isEqualTo(new ReadOutcome.Found(empty(), 0, 3));
    }

    /// What is in the log but not safe yet is not shown, or a consumer could see a record that gets lost. It is not out of range, either: it was
    /// readable before, if this replica has become leader a moment ago.
    @Test
    void theReadableRangeEndsBeforeWhatIsNotSafe() {
        world.open(orders);
        world.append(orders, Acks.ALL, "a", "b");
        world.turn();
        assertThat(readNow(1)).isEqualTo(new ReadOutcome.Found(empty(), 0, 0));
        assertThat(readNow(3)).isEqualTo(new ReadOutcome.OutOfRange(0, 0));
    }

    /// Q4: replay from a time; KIP-734.
    @Test
    void recordsAreFoundByTheirTimeOnceTheyAreReadable() {
        world.open(orders);
        Reply<AppendOutcome> appended =
                orders.append(
                        timed(100, 300, 200), Acks.ALL, PartitionWorld.TIMEOUT_MILLIS, world.home);
        world.turn();
        Reply<Lookup<OffsetAndTime>> early = orders.firstAtOrAfter(150, world.home);
        world.turn();
        world.workers.runOne(Workers.Kind.READ);
        world.turn();
        assertThat(appended.isDone()).isFalse();
        assertThat(require(early)).isEqualTo(new Lookup.Found<>(OffsetAndTime.NONE));

        world.settle();
        Reply<Lookup<OffsetAndTime>> found = orders.firstAtOrAfter(150, world.home);
        Reply<Lookup<OffsetAndTime>> newest = orders.newest(world.home);
        Reply<Lookup<OffsetAndTime>> beyond = orders.firstAtOrAfter(301, world.home);
        world.settle();
        OffsetAndTime latest = new OffsetAndTime(1, 300, 0);
        assertThat(require(found)).isEqualTo(new Lookup.Found<>(latest));
        assertThat(require(newest)).isEqualTo(new Lookup.Found<>(latest));
        assertThat(require(beyond)).isEqualTo(new Lookup.Found<>(OffsetAndTime.NONE));
    }

    @Test
    void recordsBelowAnOffsetCanBeGivenUp() {
        world.appendDurably(orders, "a");
        world.appendDurably(orders, "b");
        Reply<DeleteOutcome> deleted = orders.deleteBefore(1, world.home);
        world.settle();
        assertThat(require(deleted)).isEqualTo(new DeleteOutcome.Deleted(1));
        assertThat(orders.startOffsetSeen()).isEqualTo(1);
        assertThat(readNow(0)).isEqualTo(new ReadOutcome.OutOfRange(1, 2));
        assertThat(world.valuesFrom(orders, 1)).containsExactly("b");

        Reply<DeleteOutcome> again = orders.deleteBefore(1, world.home);
        Reply<DeleteOutcome> all = orders.deleteAll(world.home);
        world.settle();
        assertThat(require(again)).isEqualTo(new DeleteOutcome.Deleted(1));
        assertThat(require(all)).isEqualTo(new DeleteOutcome.Deleted(2));
    }

    /// What was refused is not done by the next one.
    @Test
    void aDeletionThatFailedDeletesNothingLater() {
        world.appendDurably(orders, "a", "b", "c");
        world.disk.full(true);
        Reply<DeleteOutcome> failed = orders.deleteBefore(3, world.home);
        world.settle();
        assertThat(require(failed)).isInstanceOf(DeleteOutcome.Failed.class);
        world.disk.full(false);
        Reply<DeleteOutcome> deleted = orders.deleteBefore(1, world.home);
        world.settle();
        assertThat(require(deleted)).isEqualTo(new DeleteOutcome.Deleted(1));
        assertThat(world.valuesFrom(orders, 1)).containsExactly("b", "c");
    }

    /// Both write the same file.
    @Test
    void deletionsThatAreAskedForTogetherAreDoneOneAfterTheOther() {
        world.appendDurably(orders, "a", "b", "c");
        Reply<DeleteOutcome> most = orders.deleteBefore(2, world.home);
        Reply<DeleteOutcome> less = orders.deleteBefore(1, world.home);
        world.turn();
        assertThat(world.workers.waiting(Workers.Kind.HOUSEKEEPING)).isEqualTo(1);
        world.settle();
        assertThat(require(most)).isEqualTo(new DeleteOutcome.Deleted(2));
        assertThat(require(less)).isEqualTo(new DeleteOutcome.Deleted(2));
    }

    /// The start of the log is not told before it is on disk: a crash could undo it.
    @Test
    void theNewStartCountsWhenItIsOnDisk() {
        world.appendDurably(orders, "a", "b");
        Reply<DeleteOutcome> deleted = orders.deleteBefore(2, world.home);
        world.turn();
        assertThat(deleted.isDone()).isFalse();
        assertThat(orders.startOffsetSeen()).isZero();
        world.settle();
        assertThat(orders.startOffsetSeen()).isEqualTo(2);
    }

    @Test
    void recordsThatCannotBeReadYetCannotBeGivenUp() {
        world.appendDurably(orders, "a");
        world.append(orders, Acks.ALL, "b");
        world.turn();
        Reply<DeleteOutcome> beyond = orders.deleteBefore(2, world.home);
        Reply<DeleteOutcome> negative = orders.deleteBefore(-2, world.home);
        world.turn();
        assertThat(require(beyond)).isEqualTo(new DeleteOutcome.OutOfRange(1));
        assertThat(require(negative)).isEqualTo(new DeleteOutcome.OutOfRange(1));
    }

    /// KIP-320: a consumer whose position lies behind the end that it is told goes back, so a watermark that lags after a change of leaders must not be that end.
    @Test
    void anEpochEndsAtTheLogsEndWhateverTheWatermarkIs() {
        Partition led = world.directory.add(new PartitionId("led", 0), id(), defaults(), 5);
        world.appendDurably(led, "a", "b");
        world.append(led, Acks.ALL, "c");
        world.turn();
        Reply<Lookup<LeaderEpochs.End>> current = led.endOfEpoch(5, world.home);
        Reply<Lookup<LeaderEpochs.End>> future = led.endOfEpoch(6, world.home);
        world.turn();
        assertThat(require(current)).isEqualTo(new Lookup.Found<>(new LeaderEpochs.End(5, 3)));
        assertThat(require(future)).isEqualTo(new Lookup.Found<>(LeaderEpochs.End.UNKNOWN));
    }

    @Test
    void aNewLeadersTermBeginsAtTheEndOfTheOldOne() {
        world.appendDurably(orders, "a", "b");
        PartitionWorld next = new PartitionWorld(folder);
        Partition led = next.directory.add(orders.id(), id(), defaults(), 3);
        next.appendDurably(led, "c");
        Reply<Lookup<LeaderEpochs.End>> old = led.endOfEpoch(0, next.home);
        Reply<Lookup<LeaderEpochs.End>> between = led.endOfEpoch(2, next.home);
        Reply<Lookup<LeaderEpochs.End>> now = led.endOfEpoch(3, next.home);
        next.settle();
        assertThat(require(old)).isEqualTo(new Lookup.Found<>(new LeaderEpochs.End(0, 2)));
        assertThat(require(between)).isEqualTo(new Lookup.Found<>(new LeaderEpochs.End(0, 2)));
        assertThat(require(now)).isEqualTo(new Lookup.Found<>(new LeaderEpochs.End(3, 3)));
    }

    @Test
    void whoeverIsCaughtUpCanTellWithoutAsking() {
        assertThat(orders.isCaughtUpAt(0)).isFalse();
        world.appendDurably(orders, "a");
        assertThat(orders.isCaughtUpAt(0)).isFalse();
        assertThat(orders.isCaughtUpAt(1)).isTrue();
        assertThat(orders.highWatermarkSeen()).isEqualTo(1);
    }

    @Test
    void theProducersThatHaveWrittenAreKnown() {
        orders.append(
                batchFrom(9, 0, "a", "b"), Acks.ALL, PartitionWorld.TIMEOUT_MILLIS, world.home);
        world.settle();
        Reply<Lookup<List<ProducerState>>> reply = orders.producers(world.home);
        world.settle();
        assertThat(require(reply))
                .isInstanceOfSatisfying(
                        Lookup.Found.class,
                        found -> assertThat((List<?>) found.value()).hasSize(1));
    }

    /// Coordinators live on the owner's thread and decide on what they have appended a moment ago.
    @Test
    void aCoordinatorSeesTheEndBeforeItsRecordsAreSafe() {
        Reply<Lookup<LocalPartition>> reply = orders.local();
        world.settle();
        LocalPartition local = found(require(reply));
        List<AppendOutcome> settled = new ArrayList<>();
        world.owner.post(() -> local.append(batch("a"), settled::add));
        world.turn();
        assertThat(local.endOffset()).isEqualTo(1);
        assertThat(settled).isEmpty();
        world.flushOne();
        assertThat(settled).containsExactly(new AppendOutcome.Acknowledged(0, -1, 0));

        List<ReadOutcome> read = new ArrayList<>();
        world.owner.post(() -> local.read(0, 1 << 20, read::add));
        world.settle();
        assertThat(read).singleElement().isInstanceOf(ReadOutcome.Found.class);
        assertThat(local.startOffset()).isZero();
        assertThat(local.leaderEpoch()).isZero();
    }

    @Test
    void changedSettingsCountFromTheNextRequest() {
        world.open(orders);
        orders.changeSettings(settings("flush", "page-cache", "profile", "throughput"));
        Reply<AppendOutcome> reply = world.append(orders, Acks.ALL, "a");
        world.turn();
        assertThat(reply.isDone()).isTrue();
        assertThat(orders.profile()).isEqualTo(TopicSettings.Profile.THROUGHPUT);
    }

    @Test
    void settingsThatChangeWhileTheLogOpensAreNotLost() {
        Reply<AppendOutcome> reply = world.append(orders, Acks.ALL, "a");
        world.turn();
        orders.changeSettings(settings("flush", "page-cache"));
        world.turn();
        world.workers.runOne(Workers.Kind.READ);
        world.turn();
        assertThat(reply.isDone()).isTrue();
    }

    /// Q10: neighbours do not share an owner where there are several.
    @Test
    void neighboursGoToDifferentShards() {
        ShardDoors doors = world.shard.doors();
        Shard one = new Shard(world.time.mailbox(), doors, PartitionWorld.FLUSH_INTERVAL);
        Shard other = new Shard(world.time.mailbox(), doors, PartitionWorld.FLUSH_INTERVAL);
        PartitionDirectory directory = new PartitionDirectory(List.of(one, other));
        Partition first = directory.add(new PartitionId("t", 0), id(), defaults(), 0);
        Partition second = directory.add(new PartitionId("t", 1), id(), defaults(), 0);
        assertThat(first.owner()).isNotEqualTo(second.owner());
        assertThat(directory.all()).containsExactlyInAnyOrder(first, second);
        assertThat(directory.find(second.id())).isEqualTo(second);
        assertThat(directory.remove(second.id())).isEqualTo(second);
        assertThat(directory.find(second.id())).isNull();
    }

    private long highWatermark() {
        Reply<Lookup<PartitionStatus>> status = orders.status(world.home);
        world.turn();
        return found(require(status)).highWatermark();
    }

    private ReadOutcome readNow(long offset) {
        Reply<ReadOutcome> reply = orders.read(offset, 1 << 20, true, world.home);
        world.turn();
        return require(reply);
    }

    private static Records empty() {
        return Records.EMPTY;
    }

    private static UUID id() {
        return PartitionWorld.TOPIC_ID;
    }

    private static TopicSettings defaults() {
        return TopicSettings.defaults();
    }

    private static ByteBuffer timed(long... timestamps) {
        BatchBuilder builder = new BatchBuilder();
        for (long timestamp : timestamps) {
            builder.add(LogRecord.of(timestamp, "key", "at " + timestamp));
        }
        return builder.build();
    }

    private static <T> T found(Lookup<T> lookup) {
        if (lookup instanceof Lookup.Found<T>(T value)) {
            return value;
        }
        throw new AssertionError("not found: " + lookup);
    }

    private static long baseOffset(Reply<AppendOutcome> reply) {
        if (require(reply) instanceof AppendOutcome.Acknowledged(long base, _, _)) {
            return base;
        }
        throw new AssertionError("not acknowledged: " + reply);
    }
}
