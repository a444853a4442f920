package io.sluice.log.recovery;

import io.sluice.log.segment.LogFolder;
import java.util.LinkedHashSet;
import java.util.Set;

/// Removes what interrupted work left in the folder: half-written files and files that were given up. Blocking.
final class Leftovers {
    private Leftovers() {}

    /// Returns the names that remain, sorted.
    static Set<String> clear(LogFolder folder) {
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
