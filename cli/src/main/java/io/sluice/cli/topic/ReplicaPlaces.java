package io.sluice.cli.topic;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.Node;

/// Which brokers get a topic's replicas, and which lose theirs: over as many racks as there are, then evenly; none to a broker that is emptied, and to one whose disk is full only where no other is left. As the
/// controller does it for a new topic. Owned by the main thread.
final class ReplicaPlaces {
    private final TreeMap<Integer, Node> nodes = new TreeMap<>();
    private final TreeMap<Integer, Integer> held = new TreeMap<>();
    private final Set<Integer> draining;
    private final Set<Integer> full;

    /// @param live brokers that take part
    ReplicaPlaces(Collection<Node> live, Set<Integer> draining, Set<Integer> full) {
        live.forEach(node -> nodes.put(node.id(), node));
        this.draining = draining;
        this.full = full;
    }

    /// A replica is there already.
    void holds(int broker) {
        held.merge(broker, 1, Integer::sum);
    }

    /// How many brokers may get replicas.
    int usable() {
        return (int) nodes.keySet().stream().filter(this::isUsable).count();
    }

    private boolean isUsable(int broker) {
        return nodes.containsKey(broker) && !draining.contains(broker);
    }

    /// Those that have it stay, as far as there are not too many.
    ///
    /// @param wanted at most [#usable]
    List<Integer> target(List<Integer> present, Set<Integer> inSync, int wanted) {
        List<Integer> replicas = new ArrayList<>(present);
        while (replicas.size() > wanted) {
            Integer leaves = leastWanted(replicas, inSync);
            replicas.removeAll(List.of(leaves));
            held.merge(leaves, -1, Integer::sum);
        }
        while (replicas.size() < wanted) {
            int next = best(replicas);
            replicas.add(next);
            holds(next);
        }
        return replicas;
    }

    private int best(List<Integer> replicas) {
        return nodes.keySet().stream()
                .filter(id -> isUsable(id) && !replicas.contains(id))
                .min(
                        Comparator.comparing((Integer id) -> full.contains(id))
                                .thenComparingLong(id -> besides(id, replicas))
                                .thenComparingInt(id -> held.getOrDefault(id, 0)))
                .orElseThrow();
    }

    /// One that is not there before one that is emptied, before one that lacks something, before one whose rack has another; of several the last.
    private Integer leastWanted(List<Integer> replicas, Set<Integer> inSync) {
        return replicas.stream()
                .max(
                        Comparator.comparing((Integer id) -> !nodes.containsKey(id))
                                .thenComparing(id -> draining.contains(id))
                                .thenComparing(id -> !inSync.contains(id))
                                .thenComparingLong(id -> besides(id, replicas))
                                .thenComparingInt(replicas::indexOf))
                .orElseThrow();
    }

    /// How many other replicas are in the same rack. A broker without one shares it with nobody.
    private long besides(int broker, List<Integer> replicas) {
        String rack = rackOf(broker);
        return rack.isEmpty()
                ? 0
                : replicas.stream()
                        .filter(other -> other != broker && rack.equals(rackOf(other)))
                        .count();
    }

    private String rackOf(int broker) {
        Node node = nodes.get(broker);
        return node == null || node.rack() == null ? "" : node.rack();
    }
}
