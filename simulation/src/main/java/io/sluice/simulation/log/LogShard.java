package io.sluice.simulation.log;

import io.sluice.env.Disk;
import io.sluice.env.DiskException;
import io.sluice.env.FileSlice;
import io.sluice.env.Mailbox;
import io.sluice.env.Workers;
import io.sluice.env.Workers.Kind;
import io.sluice.log.AppendResult;
import io.sluice.log.Checkpoints;
import io.sluice.log.CompactionAftermath;
import io.sluice.log.Flush;
import io.sluice.log.LogClosing;
import io.sluice.log.OffsetLookup;
import io.sluice.log.PartitionLog;
import io.sluice.log.ReadResult;
import io.sluice.log.SegmentDeletion;
import io.sluice.log.StartOffsetChange;
import io.sluice.log.TopicSettings;
import io.sluice.log.compaction.Compaction;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.Verification;
import io.sluice.record.BatchReader;
import io.sluice.record.RecordBatch;
import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.SimClock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One life of a log, driven as a broker's shard drives it: one flush and one piece of housekeeping at a time, all blocking work on workers.
///
/// Owned by its run; given up with its process.
final class LogShard {
    static final String PARENT = "log";
    static final String DIRECTORY = "log/orders-0";
    static final String CHECKPOINTS = "log/checkpoints";

    private final PartitionLog log;
    private final Disk disk;
    private final Habits habits;
    private final Mailbox mailbox;
    private final Workers workers;
    private final LogWatch watch;
    private final Consumer<String> happened;
    private boolean flushing;
    private boolean busy;

    private LogShard(PartitionLog log, Surroundings around) {
        this.log = log;
        this.disk = around.disk();
        this.habits = around.habits();
        this.mailbox = around.mailbox();
        this.workers = around.workers();
        this.watch = around.watch();
        this.happened = around.happened();
    }

    /// What a life has to do with.
    ///
    /// @param happened hears what is worth counting
    record Surroundings(
            Disk disk,
            Habits habits,
            SimClock clock,
            Mailbox mailbox,
            Workers workers,
            LogWatch watch,
            Consumer<String> happened) {}

    /// Opens the log as a starting broker does.
    ///
    /// @param known where the last checkpoint says that the log is durable
    static LogShard open(
            Surroundings around, TopicSettings settings, @Nullable RecoveryPoint known) {
        PartitionLog.Opened opened =
                PartitionLog.open(
                        new LogFolder(around.disk(), DIRECTORY), around.clock(), settings, known);
        return new LogShard(opened.log(), around);
    }

    static @Nullable RecoveryPoint knownPoint(Disk disk) {
        return Checkpoints.read(disk, CHECKPOINTS).points().get(DIRECTORY);
    }

    PartitionLog log() {
        return log;
    }

    boolean isIdle() {
        return !flushing && !busy;
    }

    AppendResult append(ByteBuffer bytes, int leaderEpoch) {
        AppendResult result = log.append(bytes, leaderEpoch);
        if (result instanceof AppendResult.Appended) {
            BatchReader reader = new BatchReader(bytes);
            for (RecordBatch batch = reader.next(); batch != null; batch = reader.next()) {
                watch.appended(ModelBatch.copyOf(batch.bytes()));
            }
        }
        happened.accept("append " + describe(result));
        return result;
    }

    private static String describe(AppendResult result) {
        return switch (result) {
            case AppendResult.Appended _ -> "appended";
            case AppendResult.Duplicate _ -> "duplicate";
            case AppendResult.DuplicateOfOld _ -> "duplicate of old";
            case AppendResult.Rejected(AppendResult.Reason reason, String _) ->
                    "rejected " + reason;
        };
    }

    /// Group commit: one at a time, and the next as soon as there is something new.
    void flush() {
        Flush flush = flushing ? null : log.beginFlush();
        if (flush == null) {
            return;
        }
        flushing = true;
        workers.<Flush>call(
                        Kind.FLUSH,
                        mailbox,
                        () -> {
                            flush.run();
                            return flush;
                        })
                .then(this::flushed, this::flushFailed);
    }

    private void flushed(Flush flush) {
        flushing = false;
        happened.accept("flush done");
        log.completeFlush(flush);
        watch.model().acknowledged(log.durableOffset());
        if (log.durableOffset() < log.endOffset()) {
            flush();
        }
    }

    private void flushFailed(Throwable cause) {
        flushing = false;
        happened.accept("flush failed");
        log.failFlush(diskFailure(cause));
        if (log.offline() == null) {
            throw new InvariantBroken("AFailedForceIsFinal", log + " is online after " + cause);
        }
    }

    private static DiskException diskFailure(Throwable cause) {
        if (cause instanceof DiskException failure) {
            return failure;
        }
        throw new InvariantBroken("OnlyTheDiskFails", String.valueOf(cause));
    }

    /// A consumer's fetch: verifies on a worker what nobody has checked.
    void read(long fromOffset, int maxBytes, long limitOffset) {
        ReadResult result = log.read(fromOffset, maxBytes, limitOffset, true);
        if (result instanceof ReadResult.NeedsVerification(var task)) {
            happened.accept("read needs verification");
            workers.<Boolean>call(
                            Kind.READ,
                            mailbox,
                            () -> {
                                task.run();
                                return true;
                            })
                    .then(
                            _ -> {
                                log.completeVerification(task);
                                read(fromOffset, maxBytes, limitOffset);
                            },
                            cause -> {
                                diskFailure(cause);
                                happened.accept("read failed");
                            });
        } else {
            take(fromOffset, result);
        }
    }

    /// A search by time. Only where every record is still there to be found.
    void lookUp(long timestamp) {
        if (log.settings().compaction().enabled() || watch.model().hasDamage()) {
            return;
        }
        OffsetLookup lookup = log.lookupNotBefore(timestamp);
        long start = log.startOffset();
        long end = log.endOffset();
        OffsetLookup.Found found = lookup.run();
        happened.accept(found == null ? "look-up found nothing" : "look-up found");
        watch.lookups().found(timestamp, start, end, found);
    }

    /// Everything that can be read, at once.
    void audit() {
        List<RecordBatch> all = new ArrayList<>();
        long next = log.startOffset();
        while (next < log.endOffset()) {
            ReadResult result = log.read(next, 4_096, Long.MAX_VALUE, true);
            if (result instanceof ReadResult.NeedsVerification(var task)) {
                if (!verified(task)) {
                    return;
                }
                continue;
            }
            List<RecordBatch> batches = take(next, result);
            all.addAll(batches);
            if (!batches.isEmpty()) {
                next = batches.getLast().nextOffset();
            } else {
                ModelBatch skipped = watch.model().holding(next);
                next = skipped == null ? log.endOffset() : skipped.nextOffset();
            }
        }
        watch.audited(log, all);
    }

    private boolean verified(Verification task) {
        try {
            task.run();
            log.completeVerification(task);
            return true;
        } catch (DiskException e) {
            if (!watch.model().isUnreadable()) {
                throw e;
            }
            return false;
        }
    }

    private List<RecordBatch> take(long fromOffset, ReadResult result) {
        return switch (result) {
            case ReadResult.Found(FileSlice slice) -> {
                happened.accept("read found");
                List<RecordBatch> batches = batchesIn(slice);
                if (!batches.isEmpty()) {
                    watch.served(fromOffset, batches);
                }
                yield batches;
            }
            case ReadResult.Damaged damaged -> {
                happened.accept("read refused");
                watch.refused(log, fromOffset, damaged);
                yield List.of();
            }
            case ReadResult.Nothing() -> List.of();
            case ReadResult.OutOfRange(long _, long _) -> List.of();
            case ReadResult.NeedsVerification _ -> throw new IllegalStateException();
        };
    }

    private List<RecordBatch> batchesIn(FileSlice slice) {
        ByteBuffer bytes;
        try {
            bytes = slice.read();
        } catch (DiskException e) {
            if (watch.model().isUnreadable()) {
                return List.of(); // The connection would be closed.
            }
            throw e;
        } finally {
            slice.release();
        }
        List<RecordBatch> batches = new ArrayList<>();
        BatchReader reader = new BatchReader(bytes, false);
        for (RecordBatch batch = reader.next(); batch != null; batch = reader.next()) {
            batches.add(batch);
        }
        if (batches.isEmpty() || reader.flaw() != null) {
            throw new InvariantBroken(
                    "WholeBatchesAreServed", slice + " ends with " + reader.flaw());
        }
        return batches;
    }

    // Housekeeping, one piece at a time.

    void checkpoint() {
        RecoveryPoint point = habits.checkpoint().apply(log);
        keepHouse(
                "checkpoint",
                () -> Checkpoints.write(disk, CHECKPOINTS, Map.of(DIRECTORY, point)),
                () -> {});
    }

    void retain() {
        if (busy) {
            return;
        }
        SegmentDeletion deletion = log.beginRetention(log.durableOffset());
        if (deletion == null) {
            return;
        }
        long start = log.startOffset();
        watch.retained(log);
        keepHouse(
                "retention",
                deletion::markDeleted,
                () -> {
                    watch.model().startIsDurable(start);
                    mailbox.schedule(
                            Duration.ofMillis(deletion.delayMillis()),
                            () -> keepHouse("removal", deletion::removeFiles, () -> {}));
                });
    }

    void compact(int mapBytes) {
        Compaction compaction = busy ? null : log.beginCompaction(log.durableOffset(), mapBytes);
        if (compaction != null) {
            keepHouse("compaction", compaction::run, () -> swapIn(compaction));
        }
    }

    private void swapIn(Compaction compaction) {
        CompactionAftermath aftermath;
        try {
            aftermath = log.completeCompaction(compaction);
        } catch (DiskException e) {
            happened.accept("swap failed");
            return;
        }
        keepHouse("compaction aftermath", aftermath::run, () -> {});
        mailbox.schedule(
                Duration.ofMillis(log.settings().retention().fileDeleteDelayMillis()),
                () -> keepHouse("compaction removal", aftermath::removeFiles, () -> {}));
    }

    void deleteRecords(long offset) {
        if (busy) {
            return;
        }
        StartOffsetChange change = log.beginStartOffsetChange(offset);
        if (change == null) {
            return;
        }
        watch.model().startMoved(offset);
        keepHouse(
                "delete records",
                change::run,
                () -> {
                    log.completeStartOffsetChange(change);
                    watch.model().startIsDurable(log.startOffset());
                });
    }

    private void keepHouse(String what, Runnable work, Runnable afterwards) {
        if (busy) {
            return;
        }
        busy = true;
        workers.<Boolean>call(
                        Kind.HOUSEKEEPING,
                        mailbox,
                        () -> {
                            work.run();
                            return true;
                        })
                .then(
                        _ -> {
                            busy = false;
                            happened.accept(what + " done");
                            afterwards.run();
                        },
                        cause -> {
                            busy = false;
                            diskFailure(cause);
                            happened.accept(what + " failed");
                        });
    }

    /// A clean end. The shard must be idle.
    void close() {
        LogClosing closing = log.beginClose();
        RecoveryPoint point = closing.run();
        Checkpoints.write(disk, CHECKPOINTS, Map.of(DIRECTORY, point));
    }
}
