package io.sluice.log.segment;

import io.sluice.env.DiskFile;
import io.sluice.record.RecordBatch;

/// Makes a lost or wrong index again from the batches. Blocking.
public final class IndexRebuild {
    private static final int INTERVAL_BYTES = 4096;

    private IndexRebuild() {}

    /// The index on disk if it can be believed and describes the segment as it is, otherwise a new one.
    public static SparseIndex loadOrRebuild(LogFolder folder, SegmentFacts facts, DiskFile file) {
        IndexFile.Content content = IndexFile.read(folder, facts.baseOffset());
        return content != null && content.facts().sizeInBytes() == facts.sizeInBytes()
                ? content.index()
                : rebuild(facts, file);
    }

    private static SparseIndex rebuild(SegmentFacts facts, DiskFile file) {
        SparseIndex index = new SparseIndex();
        BatchScanner walk = BatchScanner.walking(file, 0, facts.sizeInBytes());
        long latest = RecordBatch.NO_TIMESTAMP;
        long expected = facts.baseOffset();
        for (RecordBatch batch = walk.next(); batch != null; batch = walk.next()) {
            index.consider(
                    (int) (batch.baseOffset() - facts.baseOffset()),
                    (int) walk.batchPosition(),
                    latest,
                    INTERVAL_BYTES,
                    !facts.dense() && batch.baseOffset() != expected);
            latest = Math.max(latest, batch.maxTimestamp());
            expected = batch.nextOffset();
        }
        return index;
    }
}
