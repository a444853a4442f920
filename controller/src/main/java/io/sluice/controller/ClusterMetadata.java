package io.sluice.controller;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Life;
import io.sluice.env.Coordination.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The metadata store's tree as a [ClusterView], kept up to date node by node: only what has changed is read anew. Owned by the controller's mailbox.
///
/// Two sources tell of changes: the store's watch, and this broker's own commits, which are known at once. News of the watch may be older than an own commit; those are
/// recognised by the node's creation and version and passed over (Z1: nobody goes on with a version that is out of date, or falls back to one).
final class ClusterMetadata {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterMetadata.class);

    static final String CLUSTER = "/cluster";
    static final String EPOCH = "/epoch";
    static final String CONTROLLER = "/controller";

    /// Of a node that this broker has created and the watch has not told of yet.
    private static final long UNSEEN = -1;

    private final TreeMap<String, Known> known = new TreeMap<>();
    private final Map<String, Long> buried = new HashMap<>();
    private final NavigableMap<Integer, Registered> registered = new TreeMap<>();
    private final NavigableMap<Integer, Member> members = new TreeMap<>();
    private final NavigableMap<String, DeletionNote> deletions = new TreeMap<>();
    private final NavigableMap<String, MoveQueue> moves = new TreeMap<>();
    private MoveLimit limit = MoveLimit.NONE;
    private final TreeSet<String> changedTopics = new TreeSet<>();
    private ClusterView.Topics topics = ClusterView.Topics.of(List.of());
    private boolean topicsAreShared;
    private String clusterId = "";
    private ClusterView.Office office = ClusterView.Office.VACANT;
    private @Nullable ClusterView view;

    private record Known(int version, long created) {}

    ClusterView view() {
        ClusterView present = view;
        if (present == null) {
            topicsAreShared = true;
            present =
                    new ClusterView(
                            clusterId,
                            office,
                            ClusterView.Brokers.of(
                                    new TreeMap<>(registered), new TreeMap<>(members)),
                            topics,
                            new ClusterView.Upcoming(
                                    new TreeMap<>(deletions), new TreeMap<>(moves), limit));
            view = present;
        }
        return present;
    }

    /// Names of topics that have changed since the last call.
    List<String> takeChangedTopics() {
        List<String> changed = List.copyOf(changedTopics);
        changedTopics.clear();
        return changed;
    }

    /// Everything there is, from the watch.
    void loaded(SortedMap<String, Node> all) {
        buried.clear();
        for (String path : new ArrayList<>(known.keySet())) {
            if (!all.containsKey(path)) {
                forget(path);
            }
        }
        all.forEach(this::learned);
    }

    /// As [#changed]. A node that cannot be read is passed over, and the others count: a newer broker may have written it.
    boolean take(String path, @Nullable Node node) {
        try {
            return changed(path, node);
        } catch (IllegalStateException unreadable) {
            LOG.error("{} in the metadata store is passed over", path, unreadable);
            return true;
        }
    }

    /// News of the watch. False when it cannot be told whether they are old: the node has to be loaded.
    boolean changed(String path, @Nullable Node node) {
        Known present = known.get(path);
        boolean unseen = present != null && present.created() == UNSEEN;
        Long grave = buried.get(path);
        if (node == null) {
            if (unseen) {
                return false;
            }
            forget(path);
            buried.remove(path);
            return true;
        }
        if (grave != null && node.created() <= grave) {
            return true;
        }
        buried.remove(path);
        if (present != null && !unseen && present.created() > node.created()) {
            return true;
        }
        if (present != null
                && (unseen || present.created() == node.created())
                && node.version() <= present.version()) {
            known.put(path, new Known(present.version(), node.created()));
            return true;
        }
        learned(path, node);
        return true;
    }

    /// What a node is like, beyond doubt.
    void learned(String path, @Nullable Node node) {
        if (node == null) {
            forget(path);
            return;
        }
        Known next = new Known(node.version(), node.created());
        if (!next.equals(known.get(path))) {
            read(path, node.value(), next);
            known.put(path, next);
        }
    }

    /// Changes that this broker has made. Those of nodes that live as long as a session are told by the watch, with their creation.
    void committed(List<Change> changes) {
        for (Change change : changes) {
            boolean ofSession =
                    change.path().equals(CONTROLLER)
                            || change.path().startsWith(Registered.PATH + "/");
            if (ofSession) {
                continue;
            }
            switch (change) {
                case Change.Create(String path, String value, Life _) -> {
                    Known next = new Known(0, UNSEEN);
                    read(path, value, next);
                    known.put(path, next);
                }
                case Change.Set(String path, String value, int version) -> {
                    Known before = known.get(path);
                    Known next = new Known(version + 1, before == null ? UNSEEN : before.created());
                    read(path, value, next);
                    known.put(path, next);
                }
                case Change.Delete(String path, int _) -> {
                    Known before = known.get(path);
                    forget(path);
                    if (before != null && before.created() != UNSEEN) {
                        buried.put(path, before.created());
                    }
                }
                case Change.Check(String _, int _) -> {}
            }
        }
    }

    /// What the store holds at this path, as far as is known.
    int versionOf(String path) {
        Known node = known.get(path);
        return node == null ? -1 : node.version();
    }

    private void read(String path, String value, Known node) {
        view = null;
        String name = path.substring(path.lastIndexOf('/') + 1);
        switch (folder(path)) {
            case Registered.PATH ->
                    registered.put(
                            Integer.valueOf(name),
                            Registered.read(
                                    Integer.parseInt(name), value, node.version(), node.created()));
            case Member.PATH ->
                    members.put(
                            Integer.valueOf(name),
                            Member.read(Integer.parseInt(name), value, node.version()));
            case TopicPlanner.TOPICS_PATH -> {
                TopicPlan plan = TopicPlanFormat.read(name, value, node.version());
                ownTopics().put(plan);
                changedTopics.add(name);
            }
            case DeletionNote.PATH ->
                    deletions.put(name, DeletionNote.read(name, value, node.version()));
            case MoveQueue.PATH -> moves.put(name, MoveQueue.read(name, value, node.version()));
            case MoveLimit.PATH -> limit = MoveLimit.read(value, node.version());
            case CLUSTER -> clusterId = value;
            case EPOCH ->
                    office =
                            new ClusterView.Office(
                                    office.holder(), node.version(), office.nodeVersion());
            case CONTROLLER ->
                    office =
                            new ClusterView.Office(
                                    Integer.parseInt(value), office.epoch(), node.version());
            default -> {}
        }
    }

    private void forget(String path) {
        if (known.remove(path) == null) {
            return;
        }
        view = null;
        String name = path.substring(path.lastIndexOf('/') + 1);
        switch (folder(path)) {
            case Registered.PATH -> registered.remove(Integer.valueOf(name));
            case Member.PATH -> members.remove(Integer.valueOf(name));
            case TopicPlanner.TOPICS_PATH -> ownTopics().remove(name);
            case DeletionNote.PATH -> deletions.remove(name);
            case MoveQueue.PATH -> moves.remove(name);
            case MoveLimit.PATH -> limit = MoveLimit.NONE;
            case CONTROLLER ->
                    office = new ClusterView.Office(ClusterView.NOBODY, office.epoch(), -1);
            default -> {}
        }
    }

    /// The first word of a path of two, or the path itself.
    private static String folder(String path) {
        int slash = path.indexOf('/', 1);
        return slash < 0 ? path : path.substring(0, slash);
    }

    private ClusterView.Topics ownTopics() {
        if (topicsAreShared) {
            topics = topics.copy();
            topicsAreShared = false;
        }
        return topics;
    }
}
