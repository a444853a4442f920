package io.sluice.env.os;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Life;
import io.sluice.env.Coordination.Node;
import io.sluice.env.Coordination.Outcome;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// The tree of versioned texts in memory: what is settled, and on top of it what waits for the disk.
///
/// Changes are staged first, each set checked against all before it; they become part of the tree when the caller has made
/// them durable and settles them, or vanish when it could not. Parents need not exist, and deleting a node leaves those below it.
/// Nodes that live as long as the session are in memory only. Owned by the store's mailbox.
final class VersionedTree {
    private final TreeMap<String, Node> settled = new TreeMap<>();
    private final Set<String> ofSession = new HashSet<>();

    /// The new state of every path that staged changes touch; absence is a deletion.
    private final Map<String, Staged> staged = new LinkedHashMap<>();

    /// Checks the changes in their order and stages all or none.
    ///
    /// @param number of the frame that will make them durable
    Outcome stage(List<Change> changes, long number) {
        Map<String, Staged> next = new LinkedHashMap<>();
        for (Change change : changes) {
            Staged present = look(next, change.path());
            Node node = present.node();
            if (!isAllowed(change, node)) {
                return new Outcome.Conflict(change.path());
            }
            switch (change) {
                case Change.Create(String path, String value, Life life) ->
                        next.put(
                                path, new Staged(new Node(value, 0, number), life == Life.LASTING));
                case Change.Set(String path, String value, int version) -> {
                    long created = node == null ? number : node.created();
                    next.put(
                            path,
                            new Staged(new Node(value, version + 1, created), present.lasting()));
                }
                case Change.Delete(String path, int _) ->
                        next.put(path, new Staged(null, present.lasting()));
                case Change.Check(String _, int _) -> {}
            }
        }
        staged.putAll(next);
        return new Outcome.Committed();
    }

    private static boolean isAllowed(Change change, @Nullable Node present) {
        return switch (change) {
            case Change.Create _ -> present == null;
            case Change.Set set -> present != null && present.version() == set.version();
            case Change.Delete delete -> present != null && present.version() == delete.version();
            case Change.Check check -> present != null && present.version() == check.version();
        };
    }

    private Staged look(Map<String, Staged> next, String path) {
        Staged change = next.get(path);
        if (change == null) {
            change = staged.get(path);
        }
        return change == null ? new Staged(settled.get(path), !ofSession.contains(path)) : change;
    }

    boolean hasStaged() {
        return !staged.isEmpty();
    }

    /// What must be made durable before [#settle]: possibly nothing, when all that is staged lives as long as the session.
    Map<String, @Nullable Node> durable() {
        Map<String, @Nullable Node> states = new LinkedHashMap<>();
        staged.forEach(
                (path, change) -> {
                    if (change.lasting()) {
                        states.put(path, change.node());
                    }
                });
        return states;
    }

    /// @param news told of every change
    void settle(BiConsumer<String, @Nullable Node> news) {
        staged.forEach(
                (path, change) -> {
                    put(path, change.node());
                    if (change.node() != null && !change.lasting()) {
                        ofSession.add(path);
                    } else {
                        ofSession.remove(path);
                    }
                    news.accept(path, change.node());
                });
        staged.clear();
    }

    void dropStaged() {
        staged.clear();
    }

    /// For replay: what is read from the disk is settled already.
    void put(String path, @Nullable Node node) {
        if (node == null) {
            settled.remove(path);
        } else {
            settled.put(path, node);
        }
    }

    /// All that is to survive the process.
    SortedMap<String, Node> lasting() {
        TreeMap<String, Node> nodes = new TreeMap<>(settled);
        nodes.keySet().removeAll(ofSession);
        return nodes;
    }

    /// A copy of the node at the path and all below it; of everything for the empty path and `/`.
    SortedMap<String, Node> copyBelow(String path) {
        if (path.isEmpty() || path.equals("/")) {
            return Collections.unmodifiableSortedMap(new TreeMap<>(settled));
        }
        SortedMap<String, Node> found = new TreeMap<>(settled.subMap(path + "/", path + "0"));
        Node self = settled.get(path);
        if (self != null) {
            found.put(path, self);
        }
        return Collections.unmodifiableSortedMap(found);
    }

    /// The state that a path will have; no node when it will be gone.
    private record Staged(@Nullable Node node, boolean lasting) {}
}
