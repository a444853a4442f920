package io.sluice.log;

import io.sluice.env.Disk;
import io.sluice.env.DiskFile;
import io.sluice.log.segment.LogFolder;
import java.util.List;

/// Segments that are no longer part of the log, on their way out: renamed at once, deleted after a delay.
///
/// Decided by the owner ([PartitionLog#beginRetention]), done by a HOUSEKEEPING worker. Readers that hold such a file go on reading it. Immutable.
public final class SegmentDeletion {
    private final LogFolder folder;
    private final List<Long> baseOffsets;
    private final long keepEndOffset;
    private final long delayMillis;

    /// @param keepEndOffset when not -1, no segment is left and an empty one must first remember this offset
    SegmentDeletion(
            LogFolder folder, List<Long> baseOffsets, long keepEndOffset, long delayMillis) {
        this.folder = folder;
        this.baseOffsets = baseOffsets;
        this.keepEndOffset = keepEndOffset;
        this.delayMillis = delayMillis;
    }

    /// On a worker: the files get another name, oldest first, so that a crash in the middle leaves a log without a gap.
    public void markDeleted() {
        if (keepEndOffset >= 0) {
            Disk disk = folder.disk();
            try (DiskFile file = disk.open(folder.path(keepEndOffset, LogFolder.LOG))) {
                file.force();
            }
            folder.sync();
        }
        for (Long base : baseOffsets) {
            folder.markDeleted(LogFolder.name(base, LogFolder.LOG));
            folder.markDeleted(LogFolder.name(base, LogFolder.INDEX));
        }
        folder.sync();
    }

    /// How long to wait before [#removeFiles].
    public long delayMillis() {
        return delayMillis;
    }

    /// On a worker: gives the room back.
    public void removeFiles() {
        for (Long base : baseOffsets) {
            for (String suffix : List.of(LogFolder.LOG, LogFolder.INDEX)) {
                folder.disk().delete(folder.path(base, suffix + LogFolder.DELETED));
            }
        }
    }

    public List<Long> baseOffsets() {
        return baseOffsets;
    }
}
