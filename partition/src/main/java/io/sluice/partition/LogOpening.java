package io.sluice.partition;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.log.PartitionLog;
import io.sluice.log.TopicSettings;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.log.segment.LogFolder;
import io.sluice.record.Invariant;
import io.sluice.record.PartitionId;

/// How a replica gets its log: a worker opens the files, the owner puts what it found in service. Owned by its shard.
final class LogOpening {
    private final PartitionId id;
    private final ShardDoors doors;
    private final Mailbox owner;

    LogOpening(PartitionId id, ShardDoors doors, Mailbox owner) {
        this.id = id;
        this.doors = doors;
        this.owner = owner;
    }

    /// An opened log, with the watermark that was known before: consumers are not shown less than that, unless it is gone.
    record Found(PartitionLog.Opened opened, long watermark) {}

    Reply<Found> open(TopicSettings settings) {
        RecoveryPoint known = doors.recoveryPoints().find(id);
        long watermark = known == null ? RecoveryPoint.UNKNOWN_WATERMARK : known.highWatermark();
        return doors.workers()
                .call(
                        Workers.Kind.READ,
                        owner,
                        () ->
                                PartitionLog.open(
                                        doors.disk(),
                                        doors.clock(),
                                        id.toString(),
                                        settings,
                                        known))
                .map(opened -> new Found(opened, watermark));
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
