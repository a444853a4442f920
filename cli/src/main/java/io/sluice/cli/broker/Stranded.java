package io.sluice.cli.broker;

import io.sluice.cli.Cluster;
import io.sluice.cli.Session;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.PartitionReassignment;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;

/// How many partitions of a broker that is to be emptied have no other broker to go to: each of the others has a replica already, or gets none. Immutable.
///
/// @param partitions by broker; only those that have some
record Stranded(SortedMap<Integer, Integer> partitions) {
    private static final Stranded NONE = new Stranded(new TreeMap<>());

    /// @param usable brokers that may get replicas
    /// @param moves by partition, also those that wait
    static Stranded of(
            Collection<TopicDescription> topics,
            Map<TopicPartition, PartitionReassignment> moves,
            Set<Integer> usable,
            Set<Integer> draining) {
        TreeMap<Integer, Integer> partitions = new TreeMap<>();
        for (TopicDescription topic : topics) {
            for (TopicPartitionInfo info : topic.partitions()) {
                List<Integer> replicas =
                        new ArrayList<>(info.replicas().stream().map(Node::id).toList());
                PartitionReassignment move =
                        moves.get(new TopicPartition(topic.name(), info.partition()));
                if (move != null) {
                    replicas.removeAll(move.removingReplicas());
                    replicas.removeAll(move.addingReplicas());
                    replicas.addAll(move.addingReplicas());
                }
                long free = usable.stream().filter(id -> !replicas.contains(id)).count();
                replicas.stream()
                        .filter(draining::contains)
                        .skip(free)
                        .forEach(broker -> partitions.merge(broker, 1, Integer::sum));
            }
        }
        return new Stranded(partitions);
    }

    /// @param draining what is known of it here: brokers may not have heard yet of what was ordered last
    static Stranded ask(Cluster cluster, Set<Integer> draining) {
        if (draining.isEmpty()) {
            return NONE;
        }
        Admin admin = cluster.admin();
        BrokerStates states = new BrokerStates(cluster);
        Set<Integer> usable = new TreeSet<>();
        states.nodes().values().stream()
                .filter(node -> !node.isFenced())
                .forEach(node -> usable.add(node.id()));
        usable.removeAll(draining);
        return of(
                states.topics(),
                Cluster.await(admin.listPartitionReassignments().reassignments()),
                usable,
                draining);
    }

    int of(int broker) {
        return partitions.getOrDefault(broker, 0);
    }

    int sum() {
        return partitions.values().stream().mapToInt(Integer::intValue).sum();
    }

    /// What is the matter with each, and what to do about it.
    void tell(Session session) {
        complaints().forEach(session::note);
    }

    /// What to say of a broker that was told to be emptied, and of the others that are.
    List<String> outlook(int broker) {
        List<String> outlook = new ArrayList<>();
        if (of(broker) == 0) {
            outlook.add(
                    "It is being emptied; see 'sluice broker list' and 'sluice rebalance --status'.");
        }
        outlook.addAll(complaints());
        return outlook;
    }

    private List<String> complaints() {
        List<String> complaints = new ArrayList<>();
        partitions.forEach(
                (broker, count) ->
                        complaints.add(
                                "Broker %d cannot be emptied: %d partition(s) have no other broker to go to. Start another one, or give their topics fewer copies ('sluice topic alter TOPIC --replication-factor N'); they move by themselves then. Or take it in again: 'sluice broker resume %d'."
                                        .formatted(broker, count, broker)));
        return complaints;
    }
}
