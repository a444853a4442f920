package io.sluice.log;

import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.OffsetFile;

/// Records below an offset are given up by request (DeleteRecords).
///
/// Begun by the owner ([PartitionLog#beginStartOffsetChange]), run by a worker, completed by the owner: the new start counts once it cannot be undone by a crash. Immutable.
public final class StartOffsetChange {
    private final LogFolder folder;
    private final long startOffset;

    StartOffsetChange(LogFolder folder, long startOffset) {
        this.folder = folder;
        this.startOffset = startOffset;
    }

    /// On a worker.
    public void run() {
        OffsetFile.write(folder, OffsetFile.START, startOffset);
    }

    public long startOffset() {
        return startOffset;
    }
}
