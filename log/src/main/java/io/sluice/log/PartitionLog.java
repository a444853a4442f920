package io.sluice.log;

import io.sluice.env.Clock;
import io.sluice.env.Disk;
import io.sluice.env.DiskException;
import io.sluice.log.AppendResult.Appended;
import io.sluice.log.AppendResult.Duplicate;
import io.sluice.log.AppendResult.Reason;
import io.sluice.log.AppendResult.Rejected;
import io.sluice.log.producer.ProducerLedger;
import io.sluice.log.producer.ProducerState;
import io.sluice.log.producer.ProducerVerdict;
import io.sluice.log.recovery.DurablePoint;
import io.sluice.log.recovery.RecoveredLog;
import io.sluice.log.recovery.Recovery;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.log.recovery.RecoveryReport;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.Segment;
import io.sluice.log.segment.SegmentChain;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.segment.Verification;
import io.sluice.log.state.LeaderEpochs;
import io.sluice.log.state.LogSnapshot;
import io.sluice.record.Compression;
import io.sluice.record.MalformedBatch;
import io.sluice.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One partition's log: a folder of segments, written at the end, read anywhere.
///
/// An append walks through [BatchValidator], [ProducerLedger], [LogWriter] and the active segment into the page cache; a [Flush] on a worker makes it
/// durable. A read walks through [LogReader] to a range of a file. What may block is an object that a worker runs and the owner completes.
/// Owned by its shard, except [#open], which runs before there is an owner.
public final class PartitionLog {
    private final LogFolder folder;
    private final Clock clock;
    private final SegmentChain chain;
    private final Durability durability;
    private final LogWriter writer;
    private final LogReader reader;
    private final ProducerLedger ledger;
    private final LeaderEpochs epochs;
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
        this.writer = new LogWriter(folder, clock, recovered, durability);
        this.reader = new LogReader(chain, clock);
        this.ledger = recovered.state().ledger();
        this.epochs = recovered.state().epochs();
        this.startOffset = recovered.startOffset();
    }

    /// An open log and what opening it took.
    public record Opened(PartitionLog log, RecoveryReport report) {}

    /// Blocking: runs on a worker. A folder that does not exist is an empty log; it is created with the first append.
    ///
    /// @param directory of the partition, relative to the disk
    /// @param known how far the log was durable, from [Checkpoints]; null when not known, which only costs time
    public static Opened open(
            Disk disk,
            Clock clock,
            String directory,
            TopicSettings settings,
            @Nullable RecoveryPoint known) {
        LogFolder folder = new LogFolder(disk, directory);
        RecoveredLog recovered =
                new Recovery(
                                folder,
                                known,
                                settings.segments().indexIntervalBytes(),
                                clock.wallMillis())
                        .run();
        return new Opened(new PartitionLog(folder, clock, settings, recovered), recovered.report());
    }

    /// Appends a producer's batches, all or none: checks them, gives them their offsets in place, writes them.
    ///
    /// The buffer's bytes are changed where the format says so; its position is not.
    public AppendResult append(ByteBuffer bytes, int leaderEpoch) {
        LogOffline offline = durability.offline();
        if (offline != null) {
            return offline.rejection();
        }
        long nowMillis = clock.wallMillis();
        List<RecordBatch> batches = new ArrayList<>(1);
        Rejected rejected = BatchValidator.read(bytes, batches);
        if (rejected == null) {
            rejected = BatchValidator.check(batches, settings, nowMillis);
        }
        if (rejected != null) {
            return rejected;
        }
        return switch (ledger.check(batches)) {
            case ProducerVerdict.InOrder() -> appendChecked(bytes, batches, leaderEpoch, nowMillis);
            case ProducerVerdict.AlreadyAppended(long baseOffset, long nextOffset) ->
                    new Duplicate(baseOffset, nextOffset, -1, startOffset);
            case ProducerVerdict.Refused(ProducerVerdict.Cause cause, String sentence) ->
                    new Rejected(reason(cause), sentence);
        };
    }

    private AppendResult appendChecked(
            ByteBuffer bytes, List<RecordBatch> batches, int leaderEpoch, long nowMillis) {
        Compression target = settings.messages().compression().target();
        if (target != null && Recompression.isNeeded(batches, target)) {
            return recompressed(batches, target, leaderEpoch, nowMillis);
        }
        boolean stamp =
                settings.messages().timestampType() == TopicSettings.TimestampType.LOG_APPEND_TIME;
        long baseOffset = writer.endOffset();
        long nextOffset = baseOffset;
        for (RecordBatch batch : batches) {
            batch.assign(nextOffset, leaderEpoch);
            if (stamp) {
                batch.stampAppendTime(nowMillis);
            }
            nextOffset = batch.nextOffset();
        }
        Rejected rejected = write(bytes, batches, nowMillis);
        return rejected != null
                ? rejected
                : new Appended(baseOffset, nextOffset, stamp ? nowMillis : -1, startOffset);
    }

    private AppendResult recompressed(
            List<RecordBatch> batches, Compression target, int leaderEpoch, long nowMillis) {
        List<RecordBatch> rewritten = new ArrayList<>(batches.size());
        try {
            ByteBuffer bytes = Recompression.apply(batches, target);
            Rejected rejected = BatchValidator.read(bytes, rewritten);
            for (int i = 0; i < rewritten.size() && rejected == null; i++) {
                rejected =
                        BatchValidator.checkSize(rewritten.get(i), settings.messages().maxBytes());
            }
            return rejected != null
                    ? rejected
                    : appendChecked(bytes, rewritten, leaderEpoch, nowMillis);
        } catch (MalformedBatch e) {
            return new Rejected(Reason.INVALID_RECORD, String.valueOf(e.getMessage()));
        }
    }

    /// Appends a leader's batches as they are: a follower's log has the leader's offsets and epochs.
    public AppendResult appendAsFollower(ByteBuffer bytes) {
        LogOffline offline = durability.offline();
        if (offline != null) {
            return offline.rejection();
        }
        List<RecordBatch> batches = new ArrayList<>();
        Rejected rejected = BatchValidator.read(bytes, batches);
        if (rejected == null) {
            rejected = BatchValidator.checkContinues(batches, writer.endOffset(), epochs.latest());
        }
        if (rejected == null) {
            rejected = write(bytes, batches, clock.wallMillis());
        }
        return rejected != null
                ? rejected
                : new Appended(
                        batches.getFirst().baseOffset(), writer.endOffset(), -1, startOffset);
    }

    private @Nullable Rejected write(ByteBuffer bytes, List<RecordBatch> batches, long nowMillis) {
        Rejected rejected =
                writer.write(bytes, batches, nowMillis, settings.segments(), this::snapshot);
        if (rejected == null) {
            for (RecordBatch batch : batches) {
                ledger.record(batch, nowMillis);
                epochs.note(batch.leaderEpoch(), batch.baseOffset());
            }
        }
        return rejected;
    }

    private static Reason reason(ProducerVerdict.Cause cause) {
        return switch (cause) {
            case OUT_OF_ORDER -> Reason.OUT_OF_ORDER_SEQUENCE;
            case TOO_OLD -> Reason.DUPLICATE_SEQUENCE;
            case STALE_EPOCH -> Reason.STALE_PRODUCER_EPOCH;
        };
    }

    private LogSnapshot snapshot() {
        return new LogSnapshot(writer.endOffset(), epochs.entries(), ledger.describe());
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
                ? new ReadResult.Nothing()
                : reader.read(fromOffset, maxBytes, limit, atLeastOneBatch, writer.active());
    }

    /// Takes in what a verification found; the read that asked for it can be repeated.
    public void completeVerification(Verification task) {
        if (chain.contains(task.segment())) {
            task.complete();
        }
    }

    /// Captures everything that is not durable yet; null when there is nothing, or the log is offline. One at a time.
    public @Nullable Flush beginFlush() {
        return writer.beginFlush(settings);
    }

    /// The flush has run: what it captured is durable.
    public void completeFlush(Flush flush) {
        writer.complete(flush);
    }

    /// The flush has thrown: nobody knows what is on disk. The log stays offline until it is opened again.
    public void failFlush(DiskException cause) {
        durability.fail(cause);
    }

    /// Closes the active segment, so that retention and compaction can have it. The next flush seals it.
    public void roll() {
        writer.roll(this::snapshot);
    }

    public void changeSettings(TopicSettings changed) {
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

    /// The segments, oldest first.
    public List<SegmentFacts> segments() {
        List<SegmentFacts> facts = new ArrayList<>(chain.count());
        for (Segment segment : chain.all()) {
            facts.add(segment.facts());
        }
        return facts;
    }

    /// How far the log is durable now, to be kept in [Checkpoints].
    public RecoveryPoint recoveryPoint() {
        DurablePoint durable = durability.durable();
        return new RecoveryPoint(
                startOffset,
                durable.offset(),
                durable.segmentBase(),
                durable.position(),
                chain.sizeInBytes(),
                epochs.epochAt(durable.offset() - 1),
                false);
    }

    @Override
    public String toString() {
        return "PartitionLog["
                + folder.directory()
                + ", offsets "
                + startOffset
                + ".."
                + endOffset()
                + ", durable "
                + durableOffset()
                + "]";
    }
}
