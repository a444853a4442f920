package io.sluice.zookeeper;

import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Node;
import io.sluice.env.Coordination.Outcome;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// Copies what a single node has decided about its topics into the store of a cluster, when that node first starts as a member of one.
///
/// ```
///   cluster's store                     what happens
///   ─────────────────────────────────   ─────────────────────────────────────────────
///   empty                               /cluster, the mark /import and all nodes are written, then the mark goes
///   this cluster id, mark of this node  the copy was interrupted: it goes on
///   this cluster id, no mark            copied before, or never a single node: nothing
///   another cluster id                  refused
///   no cluster id, but topics           refused
/// ```
/// A store that takes everything in one commit shows all or nothing; a large tree takes several, during which the mark stands. Nothing of the node's own
/// store is changed. Owned by the home mailbox.
public final class LocalImport {
    static final String CLUSTER = "/cluster";
    static final String MARK = "/import";

    /// Who is alive and who decides is found out anew in a cluster.
    private static final List<String> NOT_COPIED =
            List.of(CLUSTER, MARK, "/epoch", "/controller", "/brokers", "/members");

    private static final int CHANGES_AT_ONCE = 500;
    private static final int BYTES_AT_ONCE = 500_000;

    private final Coordination local;
    private final Coordination shared;
    private final String clusterId;
    private final String node;
    private final Mailbox home;

    /// How an import ended.
    public sealed interface Result {
        /// The cluster's store is this cluster's.
        ///
        /// @param copied how many nodes; none when there was nothing to do
        record Done(int copied) implements Result {}

        /// Nothing was changed; the broker must not start.
        record Refused(String sentence) implements Result {}

        /// The store could not be reached, or somebody changes it at the same time: to be tried again.
        record TryAgain(String sentence) implements Result {}
    }

    /// @param clusterId as in this node's data directory
    public LocalImport(
            Coordination local, Coordination shared, String clusterId, int nodeId, Mailbox home) {
        this.local = local;
        this.shared = shared;
        this.clusterId = clusterId;
        this.node = "node " + nodeId;
        this.home = home;
    }

    /// To be called on the home mailbox.
    public Reply<Result> run() {
        Reply<Result> result = new Reply<>();
        local.load(home, "")
                .then(
                        own ->
                                shared.load(home, "")
                                        .then(
                                                there -> decide(copied(own), there, result),
                                                failure -> tryAgain(failure, result)),
                        result::fail);
        return result;
    }

    private static SortedMap<String, Node> copied(SortedMap<String, Node> own) {
        SortedMap<String, Node> copied = new TreeMap<>(own);
        copied.keySet()
                .removeIf(
                        path ->
                                NOT_COPIED.stream()
                                        .anyMatch(
                                                not ->
                                                        path.equals(not)
                                                                || path.startsWith(not + "/")));
        return copied;
    }

    private static void tryAgain(Throwable failure, Reply<Result> result) {
        result.complete(new Result.TryAgain(String.valueOf(failure.getMessage())));
    }

    private void decide(
            SortedMap<String, Node> own, SortedMap<String, Node> there, Reply<Result> result) {
        Node cluster = there.get(CLUSTER);
        Node mark = there.get(MARK);
        if (cluster == null) {
            List<String> topics = there.keySet().stream().filter(LocalImport::isTopic).toList();
            if (!topics.isEmpty()) {
                result.complete(new Result.Refused(hasTopics(topics)));
                return;
            }
            begin(own, there, result);
        } else if (!cluster.value().equals(clusterId)) {
            result.complete(new Result.Refused(otherCluster(cluster.value())));
        } else if (mark == null) {
            result.complete(new Result.Done(0));
        } else if (!mark.value().equals(node)) {
            result.complete(
                    new Result.TryAgain(
                            "The metadata of " + mark.value() + " is just being copied."));
        } else {
            copyRest(own, there, mark.version(), result);
        }
    }

    private static boolean isTopic(String path) {
        return path.startsWith("/topics/");
    }

    private void begin(
            SortedMap<String, Node> own, SortedMap<String, Node> there, Reply<Result> result) {
        List<Change> first = List.of(create(CLUSTER, clusterId), create(MARK, node));
        List<Change> all = new ArrayList<>(first);
        missing(own, there).forEach((path, value) -> all.add(create(path, value)));
        if (fits(all)) {
            all.remove(1);
            int copied = all.size() - 1;
            commit(all, result, () -> result.complete(new Result.Done(copied)));
        } else {
            commit(first, result, () -> copyRest(own, there, 0, result));
        }
    }

    private void copyRest(
            SortedMap<String, Node> own,
            SortedMap<String, Node> there,
            int markVersion,
            Reply<Result> result) {
        Map<String, String> missing = missing(own, there);
        List<List<Change>> parts = new ArrayList<>();
        List<Change> part = new ArrayList<>();
        for (Map.Entry<String, String> node : missing.entrySet()) {
            Change change = create(node.getKey(), node.getValue());
            part.add(change);
            if (!fits(part)) {
                part.removeLast();
                parts.add(part);
                part = new ArrayList<>(List.of(change));
            }
        }
        part.add(new Change.Delete(MARK, markVersion));
        parts.add(part);
        commitAll(parts, 0, missing.size(), result);
    }

    private void commitAll(List<List<Change>> parts, int next, int copied, Reply<Result> result) {
        if (next == parts.size()) {
            result.complete(new Result.Done(copied));
        } else {
            commit(parts.get(next), result, () -> commitAll(parts, next + 1, copied, result));
        }
    }

    private void commit(List<Change> changes, Reply<Result> result, Runnable then) {
        shared.commit(home, changes)
                .then(
                        outcome -> {
                            switch (outcome) {
                                case Outcome.Committed _ -> then.run();
                                case Outcome.Conflict(String path) ->
                                        result.complete(
                                                new Result.TryAgain(
                                                        "Somebody else has just changed "
                                                                + path
                                                                + " in the cluster's store."));
                                case Outcome.Unknown(String sentence) ->
                                        result.complete(new Result.TryAgain(sentence));
                            }
                        },
                        result::fail);
    }

    private static Map<String, String> missing(
            SortedMap<String, Node> own, SortedMap<String, Node> there) {
        Map<String, String> missing = new TreeMap<>();
        own.forEach(
                (path, node) -> {
                    if (!there.containsKey(path)) {
                        missing.put(path, node.value());
                    }
                });
        return missing;
    }

    private static boolean fits(List<Change> changes) {
        long bytes = 0;
        for (Change change : changes) {
            if (change instanceof Change.Create create) {
                bytes += 200L + create.path().length() + 3L * create.value().length();
            }
        }
        // One alone is sent in any case; if it is too large, the store says so.
        return changes.size() <= 1 || (changes.size() <= CHANGES_AT_ONCE && bytes <= BYTES_AT_ONCE);
    }

    private static Change create(String path, String value) {
        return new Change.Create(path, value);
    }

    private String otherCluster(String other) {
        return "This data directory belongs to cluster "
                + clusterId
                + ", and ZooKeeper keeps the metadata of cluster "
                + other
                + ". Use an empty data directory to join that cluster, or another path behind the last"
                + " server in cluster.zookeeper to make this node the first of a cluster of its own.";
    }

    private String hasTopics(List<String> topics) {
        return "ZooKeeper has "
                + topics.size()
                + " topics (first of "
                + topics.getFirst()
                + ") and no cluster id, so that this node's own topics cannot be added safely. Use another"
                + " path behind the last server in cluster.zookeeper, or remove what is left of an earlier"
                + " cluster there.";
    }
}
