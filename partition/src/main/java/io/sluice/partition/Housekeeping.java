package io.sluice.partition;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.log.CompactionAftermath;
import io.sluice.log.PartitionLog;
import io.sluice.log.SegmentDeletion;
import io.sluice.log.compaction.Compaction;
import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a partition needs now and then: rolling by age, retention, compaction, forgetting idle producers, closing idle files.
///
/// The owner decides, a worker does. Owned by its shard.
final class Housekeeping {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);

    /// Kafka's `producer.id.expiration.ms`.
    private static final long PRODUCER_IDLE_MILLIS = Duration.ofDays(1).toMillis();

    private static final Duration FILE_IDLE = Duration.ofMinutes(1);

    /// For the keys of one run; there is one housekeeping thread, so this is all that compaction takes.
    private static final int COMPACTION_MAP_BYTES = 16 << 20;

    private final PartitionId id;
    private final PartitionLog log;
    private final Errands errands;
    private final Mailbox owner;
    private @Nullable SegmentDeletion undone;
    private boolean deleting;
    private boolean rewriting;

    Housekeeping(PartitionId id, PartitionLog log, Errands errands, Mailbox owner) {
        this.id = id;
        this.log = log;
        this.errands = errands;
        this.owner = owner;
    }

    private <T> Reply<T> work(Callable<T> job) {
        return errands.run(Workers.Kind.HOUSEKEEPING, job);
    }

    /// True when the start of the log has moved.
    ///
    /// @param dateIsTrusted otherwise nothing goes because it is old: neither segments nor what compaction keeps for a time, nor producers
    boolean run(long highWatermark, boolean dateIsTrusted) {
        if (log.offline() != null) {
            return false;
        }
        log.rollIfOld();
        log.rest(FILE_IDLE.toNanos());
        if (dateIsTrusted) {
            log.expireProducers(PRODUCER_IDLE_MILLIS);
        }
        boolean shortened = retain(highWatermark, dateIsTrusted);
        if (dateIsTrusted) {
            compact(highWatermark);
        }
        return shortened;
    }

    /// One deletion after the other, the oldest first: a later one may go by what an earlier one leaves. True when the start of the log has moved.
    private boolean retain(long highWatermark, boolean byAge) {
        if (deleting) {
            return false;
        }
        SegmentDeletion again = undone;
        undone = null;
        SegmentDeletion deletion = again == null ? log.beginRetention(highWatermark, byAge) : again;
        if (deletion != null) {
            delete(deletion);
        }
        return again == null && deletion != null;
    }

    /// Segments may be written anew by one at a time: a compaction, or a repair. False when somebody does already.
    boolean beginRewriting() {
        boolean free = !rewriting;
        rewriting = true;
        return free;
    }

    void endRewriting() {
        rewriting = false;
    }

    private void delete(SegmentDeletion deletion) {
        LOG.info("{}: retention deletes the segments {}", id, deletion.baseOffsets());
        deleting = true;
        work(() -> {
                    deletion.markDeleted();
                    return deletion;
                })
                .then(
                        marked -> {
                            deleting = false;
                            owner.schedule(
                                    Duration.ofMillis(marked.delayMillis()),
                                    () -> removeFiles(marked));
                        },
                        failure -> {
                            // They are no part of the log any more: nobody else would remember.
                            undone = deletion;
                            deleting = false;
                            LOG.error(
                                    "{}: expired segments cannot be renamed; tried again soon",
                                    id,
                                    failure);
                        });
    }

    private void removeFiles(SegmentDeletion deletion) {
        work(() -> {
                    deletion.removeFiles();
                    return deletion;
                })
                .then(
                        _ -> {},
                        failure ->
                                LOG.error(
                                        "{}: expired segments cannot be deleted; the next start tries again",
                                        id,
                                        failure));
    }

    private void compact(long highWatermark) {
        Compaction compaction =
                rewriting ? null : log.beginCompaction(highWatermark, COMPACTION_MAP_BYTES);
        if (compaction == null) {
            return;
        }
        rewriting = true;
        work(() -> {
                    compaction.run();
                    return compaction;
                })
                .map(log::completeCompaction)
                .then(
                        this::settle,
                        failure -> {
                            rewriting = false;
                            LOG.error("{}: compaction failed; the log is as it was", id, failure);
                        });
    }

    private void settle(CompactionAftermath aftermath) {
        work(() -> {
                    aftermath.run();
                    return aftermath;
                })
                .then(
                        done -> {
                            rewriting = false;
                            LOG.info("{}: compacted", id);
                            Duration delay =
                                    Duration.ofMillis(
                                            log.settings().retention().fileDeleteDelayMillis());
                            owner.schedule(delay, () -> remove(done));
                        },
                        failure -> {
                            rewriting = false; // Else damage could not be mended any more, either.
                            LOG.error(
                                    "{}: a compaction could not be made durable; the next start finishes it",
                                    id,
                                    failure);
                        });
    }

    private void remove(CompactionAftermath aftermath) {
        work(() -> {
                    aftermath.removeFiles();
                    return aftermath;
                })
                .then(
                        _ -> {},
                        failure ->
                                LOG.error(
                                        "{}: compacted segments cannot be deleted; the next start tries again",
                                        id,
                                        failure));
    }
}
