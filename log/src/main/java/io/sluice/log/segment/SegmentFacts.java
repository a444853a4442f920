package io.sluice.log.segment;

import io.sluice.record.RecordBatch;

/// What is known about a segment without opening it. Immutable.
///
/// @param endOffset the first offset behind the segment: where the next one begins
/// @param sizeInBytes of the batches, without the zeros ahead
/// @param maxTimestamp the latest of all records, or -1
/// @param maxTimestampOffset the base offset of the batch that holds it, or -1
/// @param firstTimestamp the latest in the first batch, or -1: the age of the segment for rolling
/// @param dense every batch begins where the one before ends, so that a changed offset is noticed; compaction and the followers of a compacted
///     log leave gaps
/// @param sealed complete, durable and never written again
public record SegmentFacts(
        long baseOffset,
        long endOffset,
        int sizeInBytes,
        long maxTimestamp,
        long maxTimestampOffset,
        long firstTimestamp,
        boolean dense,
        boolean sealed) {

    public static SegmentFacts empty(long baseOffset) {
        return new SegmentFacts(baseOffset, baseOffset, 0, -1, -1, -1, true, false);
    }

    /// With one more batch at the end.
    public SegmentFacts with(RecordBatch batch) {
        long timestamp = batch.maxTimestamp();
        boolean latest = timestamp > maxTimestamp;
        return new SegmentFacts(
                baseOffset,
                batch.nextOffset(),
                sizeInBytes + batch.sizeInBytes(),
                latest ? timestamp : maxTimestamp,
                latest ? batch.baseOffset() : maxTimestampOffset,
                sizeInBytes == 0 ? timestamp : firstTimestamp,
                dense && batch.baseOffset() == endOffset,
                sealed);
    }

    /// The same, but for where the next segment begins.
    public SegmentFacts endingAt(long offset) {
        return new SegmentFacts(
                baseOffset,
                offset,
                sizeInBytes,
                maxTimestamp,
                maxTimestampOffset,
                firstTimestamp,
                dense,
                sealed);
    }

    public SegmentFacts asSealed() {
        return new SegmentFacts(
                baseOffset,
                endOffset,
                sizeInBytes,
                maxTimestamp,
                maxTimestampOffset,
                firstTimestamp,
                dense,
                true);
    }
}
