package io.sluice.log.recovery;

import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.SwapRecovery;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Clears up after interrupted work: removes half-written files and files that were given up, finishes a swap. And indexes whose segments are lost. Blocking.
final class Leftovers {
    private Leftovers() {}

    /// Returns the names that remain, sorted.
    static Set<String> clear(LogFolder folder) {
        List<String> names = folder.disk().list(folder.directory());
        if (SwapRecovery.run(folder, names)) {
            names = folder.disk().list(folder.directory());
        }
        Set<String> remaining = new LinkedHashSet<>();
        for (String name : names) {
            if (name.endsWith(LogFolder.TEMPORARY) || name.endsWith(LogFolder.DELETED)) {
                folder.disk().delete(folder.path(name));
            } else {
                remaining.add(name);
            }
        }
        forgetLostSegments(folder, remaining);
        return remaining;
    }

    /// An index that says that its segment is complete would say so of the next file of that name, too, when the replica is copied anew.
    private static void forgetLostSegments(LogFolder folder, Set<String> names) {
        boolean found = false;
        for (long base : LogFolder.offsetsIn(names, LogFolder.INDEX)) {
            if (!names.contains(LogFolder.name(base, LogFolder.LOG))) {
                String index = LogFolder.name(base, LogFolder.INDEX);
                folder.disk().delete(folder.path(index));
                names.remove(index);
                found = true;
            }
        }
        if (found) {
            folder.sync();
        }
    }
}
