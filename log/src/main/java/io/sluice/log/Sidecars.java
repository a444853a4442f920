package io.sluice.log;

import io.sluice.env.DiskException;
import io.sluice.log.segment.IndexFile;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.segment.SparseIndex;
import io.sluice.log.state.LogSnapshot;

/// The active segment's index and the log's state at its end, written now and then so that recovery has little to read.
///
/// Made on the owner, written by a worker after the bytes they describe are durable; not forced, because losing them only costs time. Immutable.
record Sidecars(SegmentFacts facts, SparseIndex index, LogSnapshot state) {
    /// Below this, reading the batches' headers again is as quick as reading these files.
    static final int WORTHWHILE_BYTES = 64 << 10;

    private static final int EVERY_BYTES = 16 << 20;

    /// Ever rarer as the segment and with it the index grows, so that the writing stays a small share.
    static boolean areDue(long bytesSince, int segmentBytes) {
        return bytesSince >= Math.max(EVERY_BYTES, segmentBytes / 8);
    }

    void write(LogFolder folder) {
        try {
            IndexFile.write(folder, facts, index);
            state.write(folder, false);
        } catch (DiskException e) {
            if (e.kind() != DiskException.Kind.FULL) {
                throw e;
            }
        }
    }
}
