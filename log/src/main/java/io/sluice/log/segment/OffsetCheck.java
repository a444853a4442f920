package io.sluice.log.segment;

import io.sluice.record.RecordBatch;

/// Checks that each batch has the offset that its place demands: that of the index if there is an entry, otherwise the one behind the batch before.
///
/// The leader sets offsets after the producer has computed the checksum, so that does not cover them. Where offsets are missing the index has an entry, so
/// a jump is never taken on trust. Owned by its scan.
final class OffsetCheck {
    private final SegmentFacts facts;
    private final SparseIndex index;
    private long expected;
    private boolean exact = true;

    /// @param position a boundary that the index knows, or 0
    OffsetCheck(SegmentFacts facts, SparseIndex index, int position) {
        this.facts = facts;
        this.index = index;
        this.expected = facts.baseOffset() + index.relativeOffsetAtOrBelow(position);
    }

    /// Goes on behind bytes that could not be read: how many offsets were in them, at least one, nobody knows, unless the index does.
    void resume() {
        expected++;
        exact = false;
    }

    /// @param scanner stands at the batch
    boolean accept(RecordBatch batch, BatchScanner scanner) {
        int position = (int) scanner.batchPosition();
        if (index.knows(position)) {
            expected = facts.baseOffset() + index.relativeOffsetAtOrBelow(position);
            exact = true;
        }
        long base = batch.baseOffset();
        boolean fits =
                (exact ? base == expected : base >= expected && isContinued(batch, scanner))
                        && batch.lastOffset() < facts.endOffset()
                        && batch.lastOffset() >= base;
        // The number of offsets is checksummed: where the batch should have been tells where the
        // next one is.
        expected = (fits ? base : expected) + batch.lastOffsetDelta() + 1;
        exact |= fits;
        return fits;
    }

    /// Behind a damage the next batch has to confirm the offset.
    private boolean isContinued(RecordBatch batch, BatchScanner scanner) {
        RecordBatch next = scanner.peek();
        long end = batch.nextOffset();
        if (next == null) {
            return true;
        }
        return facts.dense() ? next.baseOffset() == end : next.baseOffset() >= end;
    }
}
