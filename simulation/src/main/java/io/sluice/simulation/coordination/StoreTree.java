package io.sluice.simulation.coordination;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Life;
import io.sluice.env.Coordination.Node;
import io.sluice.env.Coordination.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What the store holds, written as plainly as possible. Owned by its store.
final class StoreTree {
    private static final long NOBODY = 0;

    private final TreeMap<String, Entry> entries = new TreeMap<>();

    /// Also of what is gone.
    private final TreeMap<String, Long> lastChanges = new TreeMap<>();

    private long number;

    /// @param session whose end is its own; 0 for none
    private record Entry(Node node, long session) {}

    /// A path and what is there now.
    ///
    /// @param number of the commit that made it so
    record State(String path, @Nullable Node node, long number) {}

    /// Makes all changes or none, and adds the paths that it changed, in their order.
    Outcome commit(List<Change> changes, long session, List<String> changed) {
        TreeMap<String, Entry> next = new TreeMap<>(entries);
        for (Change change : changes) {
            Entry present = next.get(change.path());
            if (!isAllowed(change, present)) {
                return new Outcome.Conflict(change.path());
            }
            switch (change) {
                case Change.Create(String path, String value, Life life) ->
                        next.put(
                                path,
                                new Entry(
                                        new Node(value, 0, number + 1),
                                        life == Life.SESSION ? session : NOBODY));
                case Change.Set(String path, String value, int version) ->
                        next.computeIfPresent(
                                path,
                                (_, entry) ->
                                        new Entry(
                                                new Node(value, version + 1, entry.node.created()),
                                                entry.session));
                case Change.Delete(String path, int _) -> next.remove(path);
                case Change.Check _ -> {}
            }
        }
        number++;
        entries.clear();
        entries.putAll(next);
        for (Change change : changes) {
            if (!(change instanceof Change.Check) && !changed.contains(change.path())) {
                changed.add(change.path());
                lastChanges.put(change.path(), number);
            }
        }
        return new Outcome.Committed();
    }

    private static boolean isAllowed(Change change, @Nullable Entry present) {
        return switch (change) {
            case Change.Create _ -> present == null;
            case Change.Set set -> present != null && present.node.version() == set.version();
            case Change.Delete delete ->
                    present != null && present.node.version() == delete.version();
            case Change.Check check -> present != null && present.node.version() == check.version();
        };
    }

    /// The paths that go with the session.
    List<String> endSession(long session) {
        List<String> gone = new ArrayList<>();
        for (Map.Entry<String, Entry> entry : entries.entrySet()) {
            if (entry.getValue().session == session) {
                gone.add(entry.getKey());
            }
        }
        number++;
        for (String path : gone) {
            entries.remove(path);
            lastChanges.put(path, number);
        }
        return gone;
    }

    State state(String path) {
        Entry entry = entries.get(path);
        return new State(
                path, entry == null ? null : entry.node, lastChanges.getOrDefault(path, 0L));
    }

    /// The numbers of the last changes of all paths that ever were.
    SortedMap<String, Long> lastChanges() {
        return new TreeMap<>(lastChanges);
    }

    /// A copy of the node at the path and all below it; of everything for the empty path and `/`.
    SortedMap<String, Node> below(String path) {
        TreeMap<String, Node> found = new TreeMap<>();
        boolean all = path.isEmpty() || path.equals("/");
        entries.forEach(
                (at, entry) -> {
                    if (all || at.equals(path) || at.startsWith(path + "/")) {
                        found.put(at, entry.node);
                    }
                });
        return found;
    }
}
