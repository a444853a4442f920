package io.sluice.log.segment;

import io.sluice.record.RecordBatch;

/// Builds up a segment's facts and index batch by batch, where the batches come from a file: recovery, compaction. Owned by its creator.
public final class SegmentGrowth {
    private final int indexIntervalBytes;
    private final SparseIndex index;
    private SegmentFacts facts;

    public SegmentGrowth(SegmentFacts facts, SparseIndex index, int indexIntervalBytes) {
        this.facts = facts;
        this.index = index;
        this.indexIntervalBytes = indexIntervalBytes;
    }

    public static SegmentGrowth begin(long baseOffset, int indexIntervalBytes) {
        return new SegmentGrowth(
                SegmentFacts.empty(baseOffset), new SparseIndex(), indexIntervalBytes);
    }

    public void add(RecordBatch batch) {
        index.consider(
                (int) (batch.baseOffset() - facts.baseOffset()),
                facts.sizeInBytes(),
                facts.maxTimestamp(),
                indexIntervalBytes,
                batch.baseOffset() != facts.endOffset());
        facts = facts.with(batch);
    }

    /// Leaves out a stretch that cannot be read.
    public void skipTo(int position, long offset) {
        facts =
                new SegmentFacts(
                        facts.baseOffset(),
                        Math.max(facts.endOffset(), offset),
                        position,
                        facts.maxTimestamp(),
                        facts.maxTimestampOffset(),
                        facts.firstTimestamp(),
                        facts.dense(),
                        facts.sealed());
    }

    public SegmentFacts facts() {
        return facts;
    }

    public SparseIndex index() {
        return index;
    }
}
