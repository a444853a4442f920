package io.sluice.env;

import io.sluice.env.Coordination.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a watcher of the metadata store knows and was told, and whether it was ever told something older.
///
/// Thread-safe: written on the home mailbox, read by the test.
public final class SeenTree implements Coordination.Watcher {
    private final SortedMap<String, Node> known = new TreeMap<>();
    private final List<String> told = new ArrayList<>();
    private final Map<String, Node> newest = new HashMap<>();
    private final List<String> stepsBack = new ArrayList<>();

    @Override
    public synchronized void loaded(SortedMap<String, Node> all) {
        told.add("loaded");
        known.clear();
        known.putAll(all);
        all.forEach(this::compare);
    }

    @Override
    public synchronized void changed(String path, @Nullable Node node) {
        told.add("changed");
        if (node == null) {
            known.remove(path);
        } else {
            known.put(path, node);
            compare(path, node);
        }
    }

    @Override
    public synchronized void suspended() {
        told.add("suspended");
    }

    @Override
    public synchronized void expired() {
        told.add("expired");
    }

    private void compare(String path, Node node) {
        Node before = newest.put(path, node);
        if (before == null || node.created() > before.created()) {
            return;
        }
        if (node.created() < before.created() || node.version() < before.version()) {
            stepsBack.add(path + " was " + before + ", then " + node);
        }
    }

    /// Every text with its version, by path.
    public synchronized Map<String, String> texts() {
        Map<String, String> texts = new TreeMap<>();
        known.forEach((path, node) -> texts.put(path, node.value() + "@" + node.version()));
        return texts;
    }

    public synchronized @Nullable Node find(String path) {
        return known.get(path);
    }

    /// `loaded`, `changed`, `suspended` and `expired` in the order in which they came.
    public synchronized List<String> told() {
        return new ArrayList<>(told);
    }

    /// Without `changed`, of which there may be any number.
    public synchronized List<String> turns() {
        List<String> turns = new ArrayList<>(told);
        turns.removeIf("changed"::equals);
        return turns;
    }

    /// Empty when nothing older was told after something newer.
    public synchronized List<String> stepsBack() {
        return new ArrayList<>(stepsBack);
    }
}
