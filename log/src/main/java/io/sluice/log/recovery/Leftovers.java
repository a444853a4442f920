package io.sluice.log.recovery;

import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.SegmentSwap;
import java.util.LinkedHashSet;
import java.util.Set;

/// Clears up after interrupted work: removes half-written files and files that were given up, finishes a swap. Blocking.
final class Leftovers {
    private Leftovers() {}

    /// Returns the names that remain, sorted.
    static Set<String> clear(LogFolder folder) {
        Set<String> names = list(folder);
        return SegmentSwap.recover(folder, names) ? list(folder) : names;
    }

    private static Set<String> list(LogFolder folder) {
        Set<String> remaining = new LinkedHashSet<>();
        for (String name : folder.disk().list(folder.directory())) {
            if (name.endsWith(LogFolder.TEMPORARY) || name.endsWith(LogFolder.DELETED)) {
                folder.disk().delete(folder.path(name));
            } else {
                remaining.add(name);
            }
        }
        return remaining;
    }
}
