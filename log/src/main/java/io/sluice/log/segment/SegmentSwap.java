package io.sluice.log.segment;

import io.sluice.env.Disk;
import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// Puts a compacted segment in the place of the old ones, so that after a crash at any point there is the one or the other.
///
/// ```
///   worker   write X.log.cleaned and X.index.cleaned, force, sync
///            rename both to X.log.swap and X.index.swap, sync      ── from here on recovery finishes the swap
///   owner    rename the old segments' files but X.log to *.deleted
///            rename X.log.swap to X.log, then X.index.swap to X.index
///   worker   sync; later remove *.deleted
/// ```
/// Recovery tells by the log's name: `.cleaned` was not committed and is removed with its index, `.swap` is complete and wins; an index that is
/// `.swap` without either belongs to a log that is already in place.
public final class SegmentSwap {
    private static final String CLEANED = ".cleaned";
    private static final String SWAP = ".swap";

    private SegmentSwap() {}

    /// A new, empty file for the compacted bytes.
    public static DiskFile create(LogFolder folder, long baseOffset) {
        String path = folder.path(baseOffset, LogFolder.LOG + CLEANED);
        folder.disk().delete(path);
        return folder.disk().open(path);
    }

    /// After the bytes are durable.
    public static void writeIndex(LogFolder folder, SegmentFacts facts, SparseIndex index) {
        String path = folder.path(facts.baseOffset(), LogFolder.INDEX + CLEANED);
        folder.disk().delete(path);
        try (DiskFile file = folder.disk().open(path)) {
            file.write(IndexFile.encode(facts, index), 0);
            file.force();
        }
    }

    /// On the worker: from here on the new segments win.
    public static void commit(LogFolder folder, List<SegmentFacts> compacted) {
        folder.sync();
        for (SegmentFacts facts : compacted) {
            // The index first: a log that is ready to be swapped always has one beside it.
            rename(folder, facts.baseOffset(), LogFolder.INDEX + CLEANED, LogFolder.INDEX + SWAP);
            folder.sync();
            rename(folder, facts.baseOffset(), LogFolder.LOG + CLEANED, LogFolder.LOG + SWAP);
        }
        folder.sync();
    }

    /// On the owner: renames only, nothing that waits for the disk.
    ///
    /// @param old base offsets of the segments whose place the new one takes
    public static void swapIn(LogFolder folder, SegmentFacts compacted, List<Long> old) {
        long base = compacted.baseOffset();
        for (Long replaced : old) {
            if (replaced != base) {
                folder.markDeleted(LogFolder.name(replaced, LogFolder.LOG));
            }
            folder.markDeleted(LogFolder.name(replaced, LogFolder.INDEX));
        }
        rename(folder, base, LogFolder.LOG + SWAP, LogFolder.LOG);
        rename(folder, base, LogFolder.INDEX + SWAP, LogFolder.INDEX);
    }

    /// On a worker: gives up a compaction whose segments are gone. Undoes the commit first, so that a crash cannot leave half of one.
    public static void discard(LogFolder folder, List<SegmentFacts> compacted) {
        for (SegmentFacts facts : compacted) {
            long base = facts.baseOffset();
            if (folder.disk().exists(folder.path(base, LogFolder.LOG + SWAP))) {
                rename(folder, base, LogFolder.LOG + SWAP, LogFolder.LOG + CLEANED);
            }
        }
        folder.sync();
        for (SegmentFacts facts : compacted) {
            remove(folder, facts.baseOffset(), LogFolder.INDEX + SWAP);
            remove(folder, facts.baseOffset(), LogFolder.INDEX + CLEANED);
        }
        folder.sync();
        for (SegmentFacts facts : compacted) {
            remove(folder, facts.baseOffset(), LogFolder.LOG + CLEANED);
        }
    }

    /// On a worker, when no swap is under way: gives up whatever a failed compaction has left. A stale result must never meet a newer one.
    public static void clear(LogFolder folder) {
        List<String> names = folder.disk().list(folder.directory());
        SortedSet<Long> bases = new TreeSet<>();
        for (String suffix : List.of(LogFolder.LOG, LogFolder.INDEX)) {
            bases.addAll(LogFolder.offsetsIn(names, suffix + SWAP));
            bases.addAll(LogFolder.offsetsIn(names, suffix + CLEANED));
        }
        if (!bases.isEmpty()) {
            discard(folder, bases.stream().map(SegmentFacts::empty).toList());
        }
    }

    /// At recovery: finishes what was committed and removes what was not. True when names changed.
    public static boolean recover(LogFolder folder, Set<String> names) {
        boolean changed = false;
        for (Long base : LogFolder.offsetsIn(names, LogFolder.LOG + CLEANED)) {
            remove(folder, base, LogFolder.INDEX + SWAP);
            remove(folder, base, LogFolder.INDEX + CLEANED);
            folder.sync();
            remove(folder, base, LogFolder.LOG + CLEANED);
            changed = true;
        }
        for (Long base : LogFolder.offsetsIn(names, LogFolder.LOG + SWAP)) {
            finishLog(folder, names, base);
            changed = true;
        }
        for (Long base : LogFolder.offsetsIn(names, LogFolder.INDEX + SWAP)) {
            // The log was swapped in, its index not yet.
            if (folder.disk().exists(folder.path(base, LogFolder.INDEX + SWAP))) {
                rename(folder, base, LogFolder.INDEX + SWAP, LogFolder.INDEX);
            }
            changed = true;
        }
        if (changed) {
            folder.sync();
        }
        return changed;
    }

    private static void finishLog(LogFolder folder, Set<String> names, long base) {
        Disk disk = folder.disk();
        if (disk.exists(folder.path(base, LogFolder.INDEX + SWAP))) {
            rename(folder, base, LogFolder.INDEX + SWAP, LogFolder.INDEX);
        }
        SegmentFacts facts = IndexFile.readFacts(folder, base);
        if (facts == null || !facts.sealed()) {
            throw new DiskException(
                    DiskException.Kind.IO,
                    folder.path(base, LogFolder.LOG + SWAP),
                    "A compacted segment has no index that can be believed: "
                            + folder.path(base, LogFolder.LOG + SWAP)
                            + ". Move the file away to go on with the segment as it was before.");
        }
        for (Long other : LogFolder.offsetsIn(names, LogFolder.LOG)) {
            if (other > base && other < facts.endOffset()) {
                disk.delete(folder.path(other, LogFolder.INDEX));
                disk.delete(folder.path(other, LogFolder.LOG));
            }
        }
        rename(folder, base, LogFolder.LOG + SWAP, LogFolder.LOG);
    }

    private static void remove(LogFolder folder, long base, String suffix) {
        folder.disk().delete(folder.path(base, suffix));
    }

    private static void rename(LogFolder folder, long base, String from, String to) {
        folder.disk().rename(folder.path(base, from), folder.path(base, to));
    }
}
