package io.sluice.simulation.coordination;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Life;
import io.sluice.env.Coordination.Node;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The texts of the store, and whose session each of them lives for. Owned by its store.
final class StoreTree {
    private SortedMap<String, Node> nodes = Collections.emptySortedMap();
    private Map<String, Long> owners = Map.of();
    private long commits;

    /// Never changes; a commit makes another.
    SortedMap<String, Node> all() {
        return nodes;
    }

    SortedMap<String, Node> below(String path) {
        SortedMap<String, Node> found = new TreeMap<>();
        nodes.forEach(
                (at, node) -> {
                    if (path.isEmpty() || at.equals(path) || at.startsWith(path + "/")) {
                        found.put(at, node);
                    }
                });
        return found;
    }

    /// Makes all changes or none. The path that is not as expected, or null when all is done.
    @Nullable String apply(List<Change> changes, long session) {
        SortedMap<String, Node> next = new TreeMap<>(nodes);
        Map<String, Long> nextOwners = new TreeMap<>(owners);
        for (Change change : changes) {
            if (!apply(change, session, next, nextOwners)) {
                return change.path();
            }
        }
        commits++;
        nodes = Collections.unmodifiableSortedMap(next);
        owners = nextOwners;
        return null;
    }

    private boolean apply(
            Change change, long session, SortedMap<String, Node> into, Map<String, Long> mine) {
        Node present = into.get(change.path());
        switch (change) {
            case Change.Create(String path, String value, Life life) -> {
                if (present != null) {
                    return false;
                }
                into.put(path, new Node(value, 0, commits + 1));
                if (life == Life.SESSION) {
                    mine.put(path, session);
                }
            }
            case Change.Set(String path, String value, int version) -> {
                if (present == null || present.version() != version) {
                    return false;
                }
                into.put(path, new Node(value, version + 1, present.created()));
            }
            case Change.Delete(String path, int version) -> {
                if (present == null || present.version() != version) {
                    return false;
                }
                into.remove(path);
                mine.remove(path);
            }
            case Change.Check(_, int version) -> {
                if (present == null || present.version() != version) {
                    return false;
                }
            }
        }
        return true;
    }

    /// What takes away all that lives for the session.
    List<Change> end(long session) {
        List<Change> deletions = new ArrayList<>();
        owners.forEach(
                (path, owner) -> {
                    Node node = nodes.get(path);
                    if (owner == session && node != null) {
                        deletions.add(new Change.Delete(path, node.version()));
                    }
                });
        return deletions;
    }
}
