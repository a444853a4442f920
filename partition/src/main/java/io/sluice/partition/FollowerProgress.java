package io.sluice.partition;

/// How far one follower is, in the term of one leader. Owned by its shard; pure.
final class FollowerProgress {
    private static final long NOTHING_YET = -1;

    private long brokerEpoch = -1;
    private long offset = NOTHING_YET;
    private long caughtUpNanos;
    private long fetchedNanos;
    private long endWhenFetched = Long.MAX_VALUE;

    /// @param nowNanos the beginning of the term, from which a follower has its time to appear
    FollowerProgress(long nowNanos) {
        this.caughtUpNanos = nowNanos;
        this.fetchedNanos = nowNanos;
    }

    /// It asks for what comes next: everything below the offset is safe there.
    ///
    /// Whoever has reached the end that the log had at its last fetch was caught up then, though the log has grown since.
    void fetched(long epoch, long from, long logEnd, long nowNanos) {
        if (from >= logEnd) {
            caughtUpNanos = nowNanos;
        } else if (epoch == brokerEpoch && from >= endWhenFetched) {
            caughtUpNanos = Math.max(caughtUpNanos, fetchedNanos);
        }
        brokerEpoch = epoch;
        offset = from;
        fetchedNanos = nowNanos;
        endWhenFetched = logEnd;
    }

    /// True when it has had less than everything for longer than allowed. One that has everything needs not ask to be in sync.
    boolean isBehindFor(long allowedNanos, long logEnd, long nowNanos) {
        if (offset >= logEnd) {
            caughtUpNanos = nowNanos;
        }
        return nowNanos - caughtUpNanos > allowedNanos;
    }

    /// False before its first fetch in this term: what it had told an earlier leader counts for nothing.
    boolean isKnown() {
        return offset != NOTHING_YET;
    }

    /// Everything below is safe there; -1 before its first fetch.
    long offset() {
        return offset;
    }

    /// Which life of the broker asks; -1 before its first fetch.
    long brokerEpoch() {
        return brokerEpoch;
    }
}
