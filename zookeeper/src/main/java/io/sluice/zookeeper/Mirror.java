package io.sluice.zookeeper;

import io.sluice.env.Coordination.Node;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The tree as it was last read from the ensemble.
///
/// ZooKeeper numbers its transactions; every node and every folder comes with the number of its last change, so that it can be told which of two
/// readings is the older. Owned by the store's thread.
final class Mirror {
    private final TreeMap<String, Entry> nodes = new TreeMap<>();
    private final Map<String, Long> folders = new HashMap<>();

    private record Entry(Node node, long changed) {}

    /// False when this, or something newer, is known already.
    ///
    /// @param changed the number of the transaction that changed it last
    boolean put(String path, Node node, long changed) {
        Entry before = nodes.get(path);
        if (before != null && before.changed >= changed) {
            return false;
        }
        nodes.put(path, new Entry(node, changed));
        return true;
    }

    /// False when there was none.
    boolean remove(String path) {
        return nodes.remove(path) != null;
    }

    /// @param changed the number of the transaction that last created or deleted something directly in the folder
    void putFolder(String znode, long changed) {
        folders.merge(znode, changed, Math::max);
    }

    void removeFolder(String znode) {
        folders.remove(znode);
    }

    boolean hasFolder(String znode) {
        return folders.containsKey(znode);
    }

    /// The place at which this reading, made later, is older than one made before; null when it is older nowhere.
    @Nullable String findOlderThan(Mirror before) {
        for (Map.Entry<String, Entry> known : before.nodes.entrySet()) {
            Entry now = nodes.get(known.getKey());
            if (now != null && now.changed < known.getValue().changed) {
                return known.getKey();
            }
        }
        for (Map.Entry<String, Long> known : before.folders.entrySet()) {
            Long now = folders.get(known.getKey());
            if (now != null && now < known.getValue()) {
                return known.getKey();
            }
        }
        return null;
    }

    /// A copy of the node at the path and all below it; of everything for the empty path and `/`.
    SortedMap<String, Node> copyBelow(String path) {
        TreeMap<String, Node> found = new TreeMap<>();
        if (path.isEmpty() || path.equals("/")) {
            nodes.forEach((at, entry) -> found.put(at, entry.node));
        } else {
            nodes.subMap(path + "/", path + "0").forEach((at, entry) -> found.put(at, entry.node));
            Entry self = nodes.get(path);
            if (self != null) {
                found.put(path, self.node);
            }
        }
        return Collections.unmodifiableSortedMap(found);
    }
}
