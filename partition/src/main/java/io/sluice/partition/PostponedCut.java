package io.sluice.partition;

import io.sluice.env.DiskException;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.record.PartitionId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A cut for which the disk has no room. A full disk is no failed one: the log only ends too late, as before, and is cut when its leader is asked again. Immutable.
///
/// @param watermark what may be read here after the cut
record PostponedCut(PartitionId id, ShardDoors doors, long watermark, DiskException full) {
    private static final Logger LOG = LoggerFactory.getLogger(PostponedCut.class);

    void tell() {
        LOG.warn(
                "{} cannot be cut to follow its leader before there is room: {}",
                id,
                full.getMessage());
        doors.counters().appendsWithoutRoom.increment();
    }

    /// The log is opened again with what the cut would have left to be read.
    void note() {
        RecoveryPoints points = doors.recoveryPoints();
        RecoveryPoint known = points.find(id);
        points.note(
                id, (known == null ? RecoveryPoint.NOTHING : known).withHighWatermark(watermark));
    }

    FollowOutcome.Failed outcome() {
        return new FollowOutcome.Failed(
                Unavailable.OFFLINE, id + " cannot be cut: " + full.getMessage());
    }
}
