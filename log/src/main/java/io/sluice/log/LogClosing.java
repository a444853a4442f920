package io.sluice.log;

import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.log.segment.LogFolder;
import org.jspecify.annotations.Nullable;

/// A clean end: everything durable, and what opening again needs written down.
///
/// Begun by the owner ([PartitionLog#beginClose]), run by a worker. A log that was not written since it was opened costs nothing here.
public final class LogClosing {
    private final LogFolder folder;
    private final @Nullable Flush flush;
    private final @Nullable Sidecars sidecars;
    private final RecoveryPoint point;

    LogClosing(
            LogFolder folder,
            @Nullable Flush flush,
            @Nullable Sidecars sidecars,
            RecoveryPoint point) {
        this.folder = folder;
        this.flush = flush;
        this.sidecars = sidecars;
        this.point = point;
    }

    /// On a worker. The point belongs into [Checkpoints]; when this throws, the last one that is there stays true.
    public RecoveryPoint run() {
        if (flush != null) {
            flush.run();
        }
        if (sidecars != null) {
            sidecars.write(folder);
        }
        return point;
    }
}
