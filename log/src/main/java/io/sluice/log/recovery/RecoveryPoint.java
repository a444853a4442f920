package io.sluice.log.recovery;

/// How far a log is known to be durable, remembered outside of it so that recovery starts there. Immutable.
///
/// Taken from a log by [PartitionLog#recoveryPoint], kept in [Checkpoints], given back to [PartitionLog#open]. One that is `clean` describes the
/// whole log, so that a partition can answer for its offsets and size without being opened.
///
/// @param startOffset the first readable offset
/// @param durableOffset everything below is on disk
/// @param segmentBase base offset of the segment that holds the durable end
/// @param position of the durable end in that segment
/// @param sizeInBytes of all segments
/// @param leaderEpoch of the last batch below the durable offset, or -1
/// @param clean the log was closed in order at exactly this point
/// @param highWatermark the end of what consumers could read, or -1; the replica's, which the log only carries along
public record RecoveryPoint(
        long startOffset,
        long durableOffset,
        long segmentBase,
        int position,
        long sizeInBytes,
        int leaderEpoch,
        boolean clean,
        long highWatermark) {
    public static final long UNKNOWN_WATERMARK = -1;

    /// Says nothing: recovery looks at everything that is not sealed.
    public static final RecoveryPoint NOTHING = new RecoveryPoint(0, 0, 0, 0, 0, -1, false);

    /// As a log knows it, which has no watermark.
    public RecoveryPoint(
            long startOffset,
            long durableOffset,
            long segmentBase,
            int position,
            long sizeInBytes,
            int leaderEpoch,
            boolean clean) {
        this(
                startOffset,
                durableOffset,
                segmentBase,
                position,
                sizeInBytes,
                leaderEpoch,
                clean,
                UNKNOWN_WATERMARK);
    }

    public RecoveryPoint withHighWatermark(long offset) {
        return new RecoveryPoint(
                startOffset,
                durableOffset,
                segmentBase,
                position,
                sizeInBytes,
                leaderEpoch,
                clean,
                offset);
    }
}
