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
        return doors.workers()
                .call(Workers.Kind.READ, owner, () -> openOwn(settings, known))
                .flatMap(
                        own ->
                                own.aside().isEmpty()
                                        ? Reply.of(own.found())
                                        : forget(own.aside().get()).map(_ -> own.found()));
    }

    /// @param aside what was found in its place
    private record Own(Optional<String> aside, Found found) {}

    private Own openOwn(TopicSettings settings, @Nullable RecoveryPoint written) {
        Optional<String> aside = PartitionFolder.setAside(folder);
        RecoveryPoint known = aside.isEmpty() ? written : null;
        long watermark = known == null ? RecoveryPoint.UNKNOWN_WATERMARK : known.highWatermark();
        return new Own(
                aside,
                new Found(PartitionLog.open(folder, doors.clock(), settings, known), watermark));
    }

    /// What is written down of it must not pass for this log's, also after a crash.
    private Reply<Boolean> forget(String aside) {
        LOG.warn(
                "{} had the data of an earlier topic of that name, which was deleted while this broker was away. It is set aside as '{}' in the folder of the partitions: delete that when nobody needs it",
                id,
                aside);
        doors.recoveryPoints().forget(id);
        return doors.replication().checkpoints().write(owner);
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
