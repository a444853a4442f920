package io.sluice.log.recovery;

import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.SwapRecovery;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Clears up after interrupted work: removes half-written files and files that were given up, finishes a swap. Blocking.
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
        return remaining;
    }
}
