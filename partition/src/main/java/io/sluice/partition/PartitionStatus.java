package io.sluice.partition;

/// Where a partition stands at one moment. Immutable.
///
/// @param startOffset the first offset that can be read
/// @param highWatermark the end of what may be read
/// @param endOffset the end of the log
public record PartitionStatus(
        long startOffset, long highWatermark, long endOffset, int leaderEpoch, long sizeInBytes) {}
