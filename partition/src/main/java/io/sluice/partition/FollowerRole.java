package io.sluice.partition;

import io.sluice.log.state.LeaderEpochs;

/// A follower's view of one partition in one term: whom it follows, what it was told, what may be read here.
///
/// A log is cut in one place only: where the leader says that an epoch ends earlier than here (KIP-101, KIP-279), and never below what this replica has shown
/// as committed. Where its files are gone, so that the leader can say nothing about them, it is cut at the gap when the leader has answered ([LostRecords]).
///
/// Owned by its shard. Pure: disk and replies are the driver's.
final class FollowerRole implements Role {
    private final int leaderEpoch;
    private long highWatermark;
    private long committedEnd;

    /// @param highWatermark as known before
    FollowerRole(int leaderEpoch, long highWatermark) {
        this.leaderEpoch = leaderEpoch;
        this.highWatermark = highWatermark;
        this.committedEnd = highWatermark;
    }

    /// The leader has told its watermark. It counts here as far as the log goes, and never retreats.
    void told(long leadersWatermark, long logEnd) {
        highWatermark = Math.max(highWatermark, Math.min(leadersWatermark, logEnd));
        committedEnd = Math.max(committedEnd, leadersWatermark);
    }

    /// Where a log differs from its leader's: behind the end of the leader's epoch, in whichever of the two logs it ends first.
    ///
    /// @param own epochs of this log
    /// @param leadersEpoch the largest of the leader's that is not above this log's last one
    static long cutTarget(LeaderEpochs own, long logEnd, int leadersEpoch, long leadersEnd) {
        LeaderEpochs.End end = own.endOf(leadersEpoch, logEnd);
        long ownEnd = end.equals(LeaderEpochs.End.UNKNOWN) ? logEnd : end.endOffset();
        return Math.min(Math.min(ownEnd, leadersEnd), logEnd);
    }

    /// True when records would go that consumers may have read.
    boolean wouldLose(long cutTo) {
        return cutTo < highWatermark;
    }

    @Override
    public int leaderEpoch() {
        return leaderEpoch;
    }

    @Override
    public long committedEnd() {
        return committedEnd;
    }

    @Override
    public long highWatermark() {
        return highWatermark;
    }
}
