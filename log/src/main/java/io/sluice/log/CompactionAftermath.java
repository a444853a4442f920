package io.sluice.log;

import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.OffsetFile;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.segment.SegmentSwap;
import java.util.List;

/// What is left to do after compacted segments were swapped in, or could not be: for a HOUSEKEEPING worker. Immutable.
public final class CompactionAftermath {
    private final LogFolder folder;
    private final long compactedTo;
    private final List<Long> replaced;
    private final List<SegmentFacts> discarded;

    private CompactionAftermath(
            LogFolder folder, long compactedTo, List<Long> replaced, List<SegmentFacts> discarded) {
        this.folder = folder;
        this.compactedTo = compactedTo;
        this.replaced = replaced;
        this.discarded = discarded;
    }

    static CompactionAftermath swapped(LogFolder folder, long compactedTo, List<Long> replaced) {
        return new CompactionAftermath(folder, compactedTo, replaced, List.of());
    }

    static CompactionAftermath discarded(LogFolder folder, List<SegmentFacts> compacted) {
        return new CompactionAftermath(folder, -1, List.of(), compacted);
    }

    /// On a worker: makes the swap durable, then says how far the log is compacted.
    public void run() {
        if (compactedTo < 0) {
            SegmentSwap.discard(folder, discarded);
        } else {
            folder.sync();
            OffsetFile.write(folder, OffsetFile.COMPACTED, compactedTo);
        }
    }

    /// On a worker, after `file.delete.delay.ms`: gives the room back.
    public void removeFiles() {
        for (Long base : replaced) {
            for (String suffix : List.of(LogFolder.LOG, LogFolder.INDEX)) {
                folder.disk().delete(folder.path(base, suffix + LogFolder.DELETED));
            }
        }
    }
}
