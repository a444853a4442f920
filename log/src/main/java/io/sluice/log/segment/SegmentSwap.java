package io.sluice.log.segment;

import io.sluice.env.DiskFile;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/// Puts a compacted or repaired segment in the place of the old ones, so that after a crash at any point there is the one or the other.
///
/// ```
///   worker   write X.log.cleaned and X.index.cleaned, force, sync
///            rename both to X.log.swap and X.index.swap, sync      ── from here on recovery finishes the swap
///   owner    rename the old segments' files but X.log to *.deleted
///            rename X.log.swap to X.log, then X.index.swap to X.index
///   worker   sync; later remove *.deleted
/// ```
/// What a crash has interrupted [SwapRecovery] ends.
public final class SegmentSwap {
    static final String CLEANED = ".cleaned";
    static final String SWAP = ".swap";

    private SegmentSwap() {}

    /// A new, empty file for the compacted bytes.
    public static DiskFile create(LogFolder folder, long baseOffset) {
        String path = folder.path(baseOffset, LogFolder.LOG + CLEANED);
        folder.disk().delete(path);
        return folder.disk().open(path);
    }

    /// The same file again, to go on with it.
    public static DiskFile reopen(LogFolder folder, long baseOffset) {
        return folder.disk().open(folder.path(baseOffset, LogFolder.LOG + CLEANED));
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

    /// On a worker: gives up a compaction whose segments are gone.
    public static void discard(LogFolder folder, List<SegmentFacts> compacted) {
        compacted.forEach(facts -> discard(folder, facts.baseOffset()));
    }

    /// Undoes the commit first, so that a crash cannot leave half of one.
    static void discard(LogFolder folder, long base) {
        if (folder.disk().exists(folder.path(base, LogFolder.LOG + SWAP))) {
            rename(folder, base, LogFolder.LOG + SWAP, LogFolder.LOG + CLEANED);
            folder.sync();
        }
        remove(folder, base, LogFolder.INDEX + SWAP);
        remove(folder, base, LogFolder.INDEX + CLEANED);
        folder.sync();
        remove(folder, base, LogFolder.LOG + CLEANED);
    }

    /// On a worker, when no swap is under way: gives up whatever a failed compaction has left. A stale result must never meet a newer one.
    public static void clear(LogFolder folder) {
        List<String> names = folder.disk().list(folder.directory());
        SortedSet<Long> bases = new TreeSet<>();
        for (String suffix : List.of(LogFolder.LOG, LogFolder.INDEX)) {
            bases.addAll(LogFolder.offsetsIn(names, suffix + SWAP));
            bases.addAll(LogFolder.offsetsIn(names, suffix + CLEANED));
        }
        bases.forEach(base -> discard(folder, base));
    }

    private static void remove(LogFolder folder, long base, String suffix) {
        folder.disk().delete(folder.path(base, suffix));
    }

    private static void rename(LogFolder folder, long base, String from, String to) {
        folder.disk().rename(folder.path(base, from), folder.path(base, to));
    }
}
