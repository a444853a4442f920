package io.sluice.partition;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.log.PartitionFolder;
import io.sluice.log.PartitionLog;
import io.sluice.log.TopicSettings;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.log.segment.LogFolder;
import io.sluice.record.Invariant;
import io.sluice.record.PartitionId;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How a replica gets its log: a worker opens the files, the owner puts what it found in service. Owned by its shard.
final class LogOpening {
    private static final Logger LOG = LoggerFactory.getLogger(LogOpening.class);

    private final PartitionId id;
    private final LogFolder folder;
    private final ShardDoors doors;
    private final Mailbox owner;

    LogOpening(PartitionId id, UUID topicId, ShardDoors doors, Mailbox owner) {
        this.id = id;
        this.folder = new LogFolder(doors.disk(), id.toString(), topicId);
        this.doors = doors;
        this.owner = owner;
    }

    /// An opened log, with the watermark that was known before: consumers are not shown less than that, unless it is gone.
    record Found(PartitionLog.Opened opened, long watermark) {}

    Reply<Found> open(TopicSettings settings) {
        RecoveryPoint known = doors.recoveryPoints().find(id);
        return read(() ->
                        PartitionFolder.isAnothers(folder)
                                ? Optional.<Found>empty()
                                : Optional.of(openLog(settings, known)))
                .flatMap(own -> own.map(Reply::of).orElseGet(() -> openAnew(settings)));
    }

    private Found openLog(TopicSettings settings, @Nullable RecoveryPoint known) {
        long watermark = known == null ? RecoveryPoint.UNKNOWN_WATERMARK : known.highWatermark();
        return new Found(PartitionLog.open(folder, doors.clock(), settings, known), watermark);
    }

    /// In the place of an earlier topic's folder. What is written down of that is forgotten first: after a crash in between, it would pass for what this log had.
    private Reply<Found> openAnew(TopicSettings settings) {
        doors.recoveryPoints().forget(id);
        return doors.replication()
                .checkpoints()
                .write(owner)
                .flatMap(
                        _ ->
                                read(
                                        () -> {
                                            PartitionFolder.setAside(folder).ifPresent(this::tell);
                                            return openLog(settings, null);
                                        }));
    }

    private void tell(String aside) {
        LOG.warn(
                "{} had the data of an earlier topic of that name, which was deleted while this broker was away. It is set aside as '{}' in the folder of the partitions: delete that when nobody needs it",
                id,
                aside);
    }

    private <T> Reply<T> read(Callable<T> job) {
        return doors.workers().call(Workers.Kind.READ, owner, job);
    }

    /// False when all of it is in one segment, which is not closed.
    Reply<Boolean> isWorthScrubbing() {
        return doors.workers()
                .call(
                        Workers.Kind.HOUSEKEEPING,
                        owner,
                        () ->
                                doors.disk().list(id.toString()).stream()
                                                .filter(LogFolder::isLog)
                                                .count()
                                        > 1);
    }

    OpenPartition putInService(
            PartitionLog log,
            long watermark,
            TopicSettings settings,
            OpenPartition.Host host,
            Assignment assignment) {
        try {
            log.changeSettings(settings);
            return new OpenPartition(
                    id, log, doors, owner, host, assignment, readable(log, watermark, assignment));
        } catch (RuntimeException | Invariant.Violation bug) {
            log.abandon(); // Nobody else knows of its files.
            throw bug;
        }
    }

    /// Of the only replica what has survived is all there is; elsewhere the others have to confirm what is not known to be committed.
    private static long readable(PartitionLog log, long watermark, Assignment assignment) {
        return assignment.isAlone()
                ? log.endOffset()
                : Math.clamp(watermark, log.startOffset(), log.endOffset());
    }
}
