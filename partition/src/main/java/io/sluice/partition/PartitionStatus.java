package io.sluice.partition;

/// Where a partition stands at one moment. Immutable.
///
/// @param startOffset the first offset that can be read
/// @param highWatermark the end of what may be read
/// @param endOffset the end of the log
/// @param committedEnd the end of what is committed, which a follower that is behind does not have
public record PartitionStatus(
        long startOffset,
        long highWatermark,
        long endOffset,
        long committedEnd,
        int leaderEpoch,
        long sizeInBytes) {
    /// How many committed messages are not here.
    public long lag() {
        return Math.max(0, committedEnd - endOffset);
    }
}
