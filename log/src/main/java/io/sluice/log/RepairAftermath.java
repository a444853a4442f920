package io.sluice.log;

import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.segment.SegmentSwap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What is left to do after a repaired segment was swapped in, or came too late: for a HOUSEKEEPING worker. Immutable.
///
/// @param unwanted a repaired segment whose old one is gone, or null
public record RepairAftermath(LogFolder folder, long base, @Nullable SegmentFacts unwanted) {
    /// On a worker: makes it durable, and gives back the room of the old index.
    public void run() {
        if (unwanted != null) {
            SegmentSwap.discard(folder, List.of(unwanted));
            return;
        }
        folder.sync();
        folder.disk().delete(folder.path(base, LogFolder.INDEX + LogFolder.DELETED));
    }
}
