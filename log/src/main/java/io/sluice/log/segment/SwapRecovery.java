package io.sluice.log.segment;

import io.sluice.env.Disk;
import io.sluice.env.DiskFile;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// Ends a compaction that a crash has interrupted: finishes it where the new segment is complete and the old ones are there, otherwise undoes it. Blocking.
///
/// Told by the log's name: `.cleaned` was not committed. `.swap` is complete, and wins if its index can be believed; the old segments lose nothing by
/// staying, so in any doubt they do. An index that is `.swap` without either belongs to a log that is already in place.
public final class SwapRecovery {
    private final LogFolder folder;
    private final Collection<String> names;

    private SwapRecovery(LogFolder folder, Collection<String> names) {
        this.folder = folder;
        this.names = names;
    }

    /// True when names changed.
    ///
    /// @param names in the folder, with those of deleted files, which may be needed again
    public static boolean run(LogFolder folder, Collection<String> names) {
        return new SwapRecovery(folder, names).run();
    }

    private boolean run() {
        boolean changed = false;
        for (Long base : LogFolder.offsetsIn(names, LogFolder.LOG + SegmentSwap.CLEANED)) {
            SegmentSwap.discard(folder, base);
            changed = true;
        }
        for (Long base : LogFolder.offsetsIn(names, LogFolder.LOG + SegmentSwap.SWAP)) {
            endSwap(base);
            changed = true;
        }
        for (Long base : LogFolder.offsetsIn(names, LogFolder.INDEX + SegmentSwap.SWAP)) {
            takeIndex(base);
            changed = true;
        }
        if (changed) {
            folder.sync();
        }
        return changed;
    }

    private void endSwap(long base) {
        if (!exists(base, LogFolder.LOG)) {
            // Retention has deleted what it was made of.
            SegmentSwap.discard(folder, base);
            return;
        }
        String swap = LogFolder.LOG + SegmentSwap.SWAP;
        SegmentFacts facts = sealed(base, LogFolder.INDEX + SegmentSwap.SWAP, swap);
        if (facts == null) {
            facts = sealed(base, LogFolder.INDEX, swap); // Renamed before the log was.
        }
        if (facts == null) {
            undo(base);
        } else {
            finish(facts);
        }
    }

    private void finish(SegmentFacts facts) {
        long base = facts.baseOffset();
        for (Long other : LogFolder.offsetsIn(names, LogFolder.LOG)) {
            if (other > base && other < facts.endOffset()) {
                folder.disk().delete(folder.path(other, LogFolder.INDEX));
                folder.disk().delete(folder.path(other, LogFolder.LOG));
            }
        }
        rename(base, LogFolder.LOG + SegmentSwap.SWAP, LogFolder.LOG);
    }

    /// Segments that were replaced by earlier compactions come back with the others; recovery finds that their offsets are in the one before.
    private void undo(long base) {
        for (String suffix : new String[] {LogFolder.LOG, LogFolder.INDEX}) {
            for (Long other : LogFolder.offsetsIn(names, suffix + LogFolder.DELETED)) {
                boolean replaced = suffix.equals(LogFolder.INDEX) ? other >= base : other > base;
                if (replaced) {
                    rename(other, suffix + LogFolder.DELETED, suffix);
                }
            }
        }
        forgetWrongIndex(base);
        folder.sync();
        SegmentSwap.discard(folder, base);
    }

    /// The log was swapped in, its index not yet.
    private void takeIndex(long base) {
        String swap = LogFolder.INDEX + SegmentSwap.SWAP;
        if (!exists(base, swap)) {
            return; // Discarded with its log.
        }
        if (sealed(base, swap, LogFolder.LOG) != null) {
            rename(base, swap, LogFolder.INDEX);
        } else {
            folder.disk().delete(folder.path(base, swap));
            forgetWrongIndex(base);
        }
    }

    /// An index of other bytes than those in the log: recovery makes a new one.
    private void forgetWrongIndex(long base) {
        if (sealed(base, LogFolder.INDEX, LogFolder.LOG) == null) {
            folder.disk().delete(folder.path(base, LogFolder.INDEX));
        }
    }

    /// What an index says of a log, when it can be believed and is of this log.
    private @Nullable SegmentFacts sealed(long base, String indexSuffix, String logSuffix) {
        SegmentFacts facts = IndexFile.readFacts(folder, base, indexSuffix);
        if (facts == null || !facts.sealed() || !exists(base, logSuffix)) {
            return null;
        }
        Disk disk = folder.disk();
        try (DiskFile log = disk.openForReading(folder.path(base, logSuffix))) {
            return log.size() == facts.sizeInBytes() ? facts : null;
        }
    }

    private boolean exists(long base, String suffix) {
        return folder.disk().exists(folder.path(base, suffix));
    }

    private void rename(long base, String from, String to) {
        folder.disk().rename(folder.path(base, from), folder.path(base, to));
    }
}
