package io.sluice.log;

import io.sluice.env.Disk;
import io.sluice.env.DiskFile;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.log.segment.BatchScanner;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.state.EpochNames;
import io.sluice.record.RecordBatch;
import java.util.List;

/// Cuts a follower's log where it differs from its leader's. Blocking; nobody else uses the log meanwhile.
///
/// Newest first, and nothing that claims to be sealed before it is cut, so that a crash in the middle leaves a log that only ends too late.
final class Truncation {
    private final LogFolder folder;
    private final List<SegmentFacts> segments;

    Truncation(LogFolder folder, List<SegmentFacts> segments) {
        this.folder = folder;
        this.segments = segments;
    }

    /// Cuts so that no batch with this offset or a later one is left; returns the durable end.
    RecoveryPoint cutTo(long offset, long startOffset) {
        Disk disk = folder.disk();
        int kept = segments.size();
        while (kept > 0 && segments.get(kept - 1).baseOffset() >= offset) {
            kept--;
        }
        if (kept == 0) {
            return restartAt(offset);
        }
        forgetSnapshotsAbove(offset);
        SegmentFacts last = segments.get(kept - 1);
        disk.delete(folder.path(last.baseOffset(), LogFolder.INDEX));
        folder.sync();
        remove(kept);
        try (DiskFile file = disk.open(folder.path(last.baseOffset(), LogFolder.LOG))) {
            BatchScanner walk = BatchScanner.walking(file, 0, last.sizeInBytes());
            long end = last.baseOffset();
            long position = 0;
            for (RecordBatch batch = walk.next(); batch != null; batch = walk.next()) {
                if (batch.nextOffset() > offset) {
                    break;
                }
                end = batch.nextOffset();
                position = walk.position();
            }
            file.truncate(position);
            file.force();
            return point(Math.min(startOffset, end), end, last.baseOffset(), (int) position);
        }
    }

    /// Gives up everything and goes on at an offset.
    RecoveryPoint restartAt(long offset) {
        folder.create(); // One that is new has none yet, one that was deleted none any more.
        forgetSnapshotsAbove(-1);
        remove(0);
        try (DiskFile file = folder.disk().open(folder.path(offset, LogFolder.LOG))) {
            file.force();
        }
        folder.sync();
        folder.syncParent();
        return point(offset, offset, offset, 0);
    }

    private void remove(int from) {
        for (int i = segments.size() - 1; i >= from; i--) {
            long base = segments.get(i).baseOffset();
            folder.disk().delete(folder.path(base, LogFolder.INDEX));
            folder.markDeleted(LogFolder.name(base, LogFolder.LOG));
            folder.sync();
        }
    }

    /// Gone for good before new batches can make them look right again.
    private void forgetSnapshotsAbove(long offset) {
        List<String> names = folder.disk().list(folder.directory());
        for (Long snapshot : LogFolder.offsetsIn(names, LogFolder.SNAPSHOT)) {
            if (snapshot > offset) {
                folder.disk().delete(folder.path(snapshot, LogFolder.SNAPSHOT));
            }
        }
        EpochNames.forgetFrom(folder, names, offset);
        folder.sync();
    }

    private static RecoveryPoint point(long start, long end, long segmentBase, int position) {
        return new RecoveryPoint(start, end, segmentBase, position, 0, -1, false);
    }
}
