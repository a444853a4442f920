package io.sluice.log;

import io.sluice.env.Clock;
import io.sluice.env.DiskException;
import io.sluice.log.compaction.Compaction;
import io.sluice.log.producer.ProducerLedger;
import io.sluice.log.producer.ProducerState;
import io.sluice.log.recovery.DurablePoint;
import io.sluice.log.recovery.MissingOffsets;
import io.sluice.log.recovery.RecoveredLog;
import io.sluice.log.recovery.Recovery;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.log.recovery.RecoveryReport;
import io.sluice.log.repair.SegmentRepair;
import io.sluice.log.segment.Damage;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.SegmentChain;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.segment.Verification;
import io.sluice.log.state.LeaderEpochs;
import io.sluice.record.Invariant;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One partition's log: a folder of segments, written at the end, read anywhere.
///
/// An append walks through [LogAppender] (validator, ledger) and [LogWriter] (active segment, index) into the page cache; a [Flush] on a worker
/// makes it durable. A read walks through [LogReader] to a range of a file. What may block is an object that a worker runs and the owner completes.
/// Owned by its shard, except [#open], which runs before there is an owner.
public final class PartitionLog {
    /// Nothing that was durable is missing.
    public static final long WHOLE = -1;

    /// By this date.
    private static final long NOTHING_IS_OLD_MILLIS = 0;

    private final LogFolder folder;
    private final Clock clock;
    private final SegmentChain chain;
    private final Durability durability;
    private final LogWriter writer;
    private final LogAppender appender;
    private final LogReader reader;
    private final LogCompactor compactor;
    private final LogRepairer repairer;
    private final ProducerLedger ledger;
    private final LeaderEpochs epochs;
    private final List<MissingOffsets> missing;
    private TopicSettings settings;
    private long startOffset;

    private PartitionLog(
            LogFolder folder, Clock clock, TopicSettings settings, RecoveredLog recovered) {
        this.folder = folder;
        this.clock = clock;
        this.settings = settings;
        this.chain = recovered.chain();
        this.durability = new Durability(recovered.durable());
        if (recovered.durable().offset() < recovered.endOffset()) {
            durability.folderCreated(); // Nobody knows which names a crash could still undo.
        }
        this.ledger = recovered.state().ledger();
        this.epochs = recovered.state().epochs();
        this.writer = new LogWriter(folder, clock, recovered, durability);
        this.appender = new LogAppender(clock, writer, ledger, epochs);
        this.reader = new LogReader(folder, chain, epochs, clock);
        this.compactor = new LogCompactor(folder, chain, ledger, epochs, recovered.compactedTo());
        this.repairer = new LogRepairer(folder, chain, epochs);
        this.missing = new ArrayList<>(recovered.missing());
        this.startOffset = recovered.startOffset();
    }

    /// An open log and what opening it took.
    public record Opened(PartitionLog log, RecoveryReport report) {}

    /// Blocking: runs on a worker. A folder that does not exist is an empty log; it is created with the first append.
    ///
    /// @param folder of the partition; its parent exists and is durable
    /// @param known how far the log was durable, from [Checkpoints]; null when not known, which only costs time
    public static Opened open(
            LogFolder folder, Clock clock, TopicSettings settings, @Nullable RecoveryPoint known) {
        RecoveredLog recovered =
                new Recovery(
                                folder,
                                known,
                                settings.segments().indexIntervalBytes(),
                                settings.compaction().enabled(),
                                clock.wallMillis())
                        .run();
        return new Opened(new PartitionLog(folder, clock, settings, recovered), recovered.report());
    }

    /// Appends a producer's batches, all or none: checks them, gives them their offsets in place, writes them.
    ///
    /// The buffer's bytes are changed where the format says so; its position is not.
    public AppendResult append(ByteBuffer bytes, int leaderEpoch) {
        LogOffline offline = durability.offline();
        return offline != null
                ? offline.rejection()
                : appender.append(bytes, leaderEpoch, settings, startOffset);
    }

    /// Appends a leader's batches as they are: a follower's log has the leader's offsets and epochs.
    public AppendResult appendAsFollower(ByteBuffer bytes) {
        LogOffline offline = durability.offline();
        return offline != null
                ? offline.rejection()
                : appender.appendAsFollower(bytes, settings, startOffset);
    }

    /// Finds batches from the one that holds the offset on, as a range of one file.
    ///
    /// @param limitOffset nothing at or behind it is returned: the high watermark, or the log's end
    /// @param atLeastOneBatch returns the first batch even if it alone is larger than `maxBytes`
    public ReadResult read(
            long fromOffset, int maxBytes, long limitOffset, boolean atLeastOneBatch) {
        if (fromOffset < startOffset || fromOffset > endOffset()) {
            return new ReadResult.OutOfRange(startOffset, endOffset());
        }
        long limit = Math.min(limitOffset, endOffset());
        return fromOffset >= limit
                ? LogReader.NOTHING
                : reader.read(fromOffset, maxBytes, limit, atLeastOneBatch, writer.active());
    }

    /// Takes in what a verification found; the read that asked for it can be repeated.
    public void completeVerification(Verification task) {
        if (chain.contains(task.segment())) {
            task.complete();
        }
    }

    /// Checks a whole segment again, whatever is known about it: for a HOUSEKEEPING worker, then [#completeVerification].
    ///
    /// @param number of the segment, from the oldest
    public Verification beginScrub(int number) {
        return Verification.ofWhole(chain.at(number), epochs.check());
    }

    /// The next stretch of closed segments to check again: for a HOUSEKEEPING worker, then [#completeVerification]. Null behind the last.
    ///
    /// @param segmentBase first offset of the segment to go on in; 0 to begin
    /// @param position where the stretch before ended, in that segment
    public @Nullable Verification beginScrub(long segmentBase, int position, int bytes) {
        return repairer.scrub(segmentBase, position, bytes);
    }

    /// What is known to be damaged.
    public List<Damage> damages() {
        List<Damage> all = repairer.damages();
        for (MissingOffsets one : missing) {
            if (one.damage() != null && one.to() > startOffset) {
                all.add(one.damage());
            }
        }
        return all;
    }

    /// The first offset that was durable and is in no file any more, though the log goes on behind it; [#WHOLE] when there is none. What is below is what this log really has in one piece.
    public long firstMissing() {
        long first = WHOLE;
        for (MissingOffsets one : missing) {
            if (one.to() > startOffset && (first == WHOLE || one.from() < first)) {
                first = one.from();
            }
        }
        return first;
    }

    /// The end of the last batch that is in a file: behind [#firstMissing] when that is a gap between files, and not the end of this log.
    public long presentEnd() {
        long end = chain.count() == 0 ? 0 : chain.at(chain.count() - 1).endOffset();
        boolean moved = true;
        while (moved) {
            moved = false;
            for (MissingOffsets one : missing) {
                if (one.from() < end && one.to() >= end) {
                    end = one.from();
                    moved = true;
                }
            }
        }
        return end;
    }

    /// Plans to mend the first damaged segment; null when none is, or none can be now. One at a time, and none while a compaction is under way.
    ///
    /// @param limitOffset what lies behind it may differ in other replicas: the high watermark
    public @Nullable SegmentRepair beginRepair(long limitOffset) {
        if (durability.offline() != null) {
            return null;
        }
        if (repairer.isLastDamaged()) {
            roll(); // Sealed by the next flush.
        }
        return repairer.begin(limitOffset, endOffset(), settings.segments().indexIntervalBytes());
    }

    /// Puts a mended segment in place, unless the old one is gone; what remains to be done is for a worker.
    public RepairAftermath completeRepair(SegmentRepair repair) {
        try {
            RepairAftermath aftermath = repairer.complete(repair);
            SegmentFacts repaired = repair.repaired();
            if (repaired != null) {
                missing.removeIf(
                        one ->
                                one.from() >= repaired.baseOffset()
                                        && one.to() <= repaired.endOffset());
            }
            return aftermath;
        } catch (DiskException e) {
            durability.fail(e);
            throw e;
        }
    }

    /// The first record with this timestamp or a later one: for a READ worker.
    public OffsetLookup lookupNotBefore(long timestamp) {
        return OffsetLookup.notBefore(folder, chain.all(), startOffset, timestamp);
    }

    /// The record with the latest timestamp (KIP-734): for a READ worker.
    public OffsetLookup lookupLatest() {
        return OffsetLookup.latest(folder, chain.all(), startOffset);
    }

    /// True when [#beginFlush] would find something: bytes that are not durable, or a full segment that is not sealed.
    public boolean needsFlush() {
        return writer.needsFlush();
    }

    /// Captures everything that is not durable yet; null when there is nothing, or the log is offline. One at a time.
    public @Nullable Flush beginFlush() {
        return writer.beginFlush(settings, true, appender::snapshot);
    }

    /// The flush has run: what it captured is durable.
    public void completeFlush(Flush flush) {
        writer.complete(flush);
    }

    /// The flush has thrown: nobody knows what is on disk. The log stays offline until it is opened again.
    public void failFlush(DiskException cause) {
        durability.flushFailed(cause);
    }

    /// Closes the active segment, so that retention and compaction can have it. The next flush seals it.
    public void roll() {
        writer.roll(appender::snapshot);
    }

    /// Rolls when the active segment is older than `segment.ms`, for partitions that nobody writes to.
    public void rollIfOld() {
        writer.rollIfOld(settings, appender::snapshot);
    }

    /// Takes segments that are due out of the log; null when none are. The start offset moves at once.
    ///
    /// @param limitOffset nothing at or behind it goes: the high watermark
    public @Nullable SegmentDeletion beginRetention(long limitOffset) {
        return beginRetention(limitOffset, true);
    }

    /// As [#beginRetention(long)].
    ///
    /// @param byAge false when the date may be wrong: what is too much goes all the same
    public @Nullable SegmentDeletion beginRetention(long limitOffset, boolean byAge) {
        RetentionPolicy.Decision decision =
                RetentionPolicy.decide(
                        segments(),
                        startOffset,
                        limitOffset,
                        settings.retention(),
                        byAge ? clock.wallMillis() : NOTHING_IS_OLD_MILLIS);
        if (decision.rollLast()) {
            roll(); // Sealed by the next flush, deleted by the next retention.
        }
        if (decision.count() == 0) {
            return null;
        }
        SegmentDeletion deletion = writer.takeOut(decision.count(), settings.retention());
        moveStart(Math.max(startOffset, chain.at(0).baseOffset()));
        return deletion;
    }

    /// Plans a compaction; null when the topic has none or the log is not dirty enough.
    ///
    /// @param limitOffset nothing at or behind it is compacted: the high watermark
    /// @param mapBytes memory that the run may use for the keys
    public @Nullable Compaction beginCompaction(long limitOffset, int mapBytes) {
        return settings.compaction().enabled() && durability.offline() == null
                ? compactor.begin(settings, startOffset, limitOffset, mapBytes, clock.wallMillis())
                : null;
    }

    /// Puts the compacted segments in place, unless the old ones are gone; what remains to be done is for a worker.
    public CompactionAftermath completeCompaction(Compaction compaction) {
        try {
            return compactor.complete(compaction);
        } catch (DiskException e) {
            durability.fail(e);
            throw e;
        }
    }

    /// Gives up the records below an offset (DeleteRecords); null when it is not ahead of the start or behind the end. One at a time: the last one written counts.
    public @Nullable StartOffsetChange beginStartOffsetChange(long offset) {
        if (offset <= startOffset || offset > endOffset()) {
            return null;
        }
        return new StartOffsetChange(folder, offset);
    }

    /// The new start is on disk and counts from now on.
    public void completeStartOffsetChange(StartOffsetChange change) {
        moveStart(Math.max(startOffset, change.startOffset()));
    }

    private void moveStart(long offset) {
        startOffset = offset;
        epochs.cutStart(offset);
    }

    /// Cuts the log so that no batch with this offset or a later one is left. Blocking: runs on a worker while the owner does nothing else with the log.
    ///
    /// This object is done for; the one returned takes its place. A recovery point above the offset must have been lowered in
    /// [Checkpoints] before, or the next recovery takes the missing batches for damage.
    public Opened truncateTo(long offset) {
        return replaceAfter(truncation().cutTo(offset, startOffset));
    }

    /// Gives up everything and goes on at an offset, for a follower whose leader no longer has what comes next. As [#truncateTo].
    public Opened restartAt(long offset) {
        return replaceAfter(truncation().restartAt(offset));
    }

    private Truncation truncation() {
        abandon();
        return new Truncation(folder, segments());
    }

    private Opened replaceAfter(RecoveryPoint point) {
        return open(folder, clock, settings, point);
    }

    /// Begins a clean end; the log takes no more appends. No flush may be under way.
    public LogClosing beginClose() {
        Invariant.check(!durability.isFlushing(), "a log was closed under a flush");
        if (durability.offline() != null) {
            writer.closeFiles();
            return new LogClosing(folder, null, null, recoveryPoint());
        }
        Flush flush = writer.beginFlush(settings, false, appender::snapshot);
        Sidecars sidecars = writer.worthwhileSidecars(appender::snapshot);
        writer.closeFiles();
        durability.close("it was closed");
        return new LogClosing(folder, flush, sidecars, point(writer.endPoint(), true));
    }

    /// Lets go of everything at once, for a log that will be opened again or deleted. No flush may be under way.
    public void abandon() {
        Invariant.check(!durability.isFlushing(), "a log was abandoned under a flush");
        writer.closeFiles();
        durability.close("it was given up");
    }

    /// Closes files that were not used for this long; they are opened again when needed.
    public void rest(long idleNanos) {
        writer.rest(clock.monotonicNanos() - idleNanos);
    }

    /// Forgets producers that have not appended for this long. Returns how many.
    public int expireProducers(long idleMillis) {
        return ledger.expire(clock.wallMillis() - idleMillis);
    }

    /// From now on. A topic that is no longer compacted closes the segment that may have gaps in its offsets: recovery would take them for damage.
    public void changeSettings(TopicSettings changed) {
        if (settings.compaction().enabled() && !changed.compaction().enabled()) {
            roll();
        }
        settings = changed;
    }

    public TopicSettings settings() {
        return settings;
    }

    public long startOffset() {
        return startOffset;
    }

    /// The offset that the next record will get.
    public long endOffset() {
        return writer.endOffset();
    }

    /// Everything below is on disk.
    public long durableOffset() {
        return durability.durable().offset();
    }

    /// Why the log takes no appends, or null.
    public @Nullable LogOffline offline() {
        return durability.offline();
    }

    public long sizeInBytes() {
        return chain.sizeInBytes();
    }

    public LeaderEpochs leaderEpochs() {
        return epochs;
    }

    public List<ProducerState> producers() {
        return ledger.describe();
    }

    /// Everything below was compacted before.
    public long compactedTo() {
        return compactor.compactedTo();
    }

    /// The segments, oldest first.
    public List<SegmentFacts> segments() {
        List<SegmentFacts> facts = new ArrayList<>(chain.count());
        for (int i = 0; i < chain.count(); i++) {
            facts.add(chain.at(i).facts());
        }
        return facts;
    }

    /// How far the log is durable now, to be kept in [Checkpoints].
    public RecoveryPoint recoveryPoint() {
        return point(durability.durable(), false);
    }

    private RecoveryPoint point(DurablePoint durable, boolean clean) {
        return new RecoveryPoint(
                Math.min(startOffset, durable.offset()),
                durable.offset(),
                durable.segmentBase(),
                durable.position(),
                chain.sizeInBytes(),
                epochs.epochAt(durable.offset() - 1),
                clean);
    }

    @Override
    public String toString() {
        return folder.directory() + "[" + startOffset + ".." + endOffset() + "]";
    }
}
