package io.sluice.cli.topic;

import io.sluice.cli.Cluster;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;

/// Gives a topic another number of replicas, by Kafka's own reassignment. Owned by the main thread.
final class Replication {
    private final Cluster cluster;

    Replication(Cluster cluster) {
        this.cluster = cluster;
    }

    Fields change(TopicDescription topic, int wanted, boolean dryRun) {
        Map<Integer, Integer> held = new TreeMap<>();
        for (Node node : Cluster.await(cluster.admin().describeCluster().nodes())) {
            held.put(node.id(), 0);
        }
        if (wanted < 1 || wanted > held.size()) {
            throw new Failure(
                    ExitCode.FAILED,
                    "%d replicas are not possible with %d broker(s)."
                            .formatted(wanted, held.size()));
        }
        int before = topic.partitions().getFirst().replicas().size();
        for (TopicPartitionInfo partition : topic.partitions()) {
            partition.replicas().forEach(node -> held.merge(node.id(), 1, Integer::sum));
        }
        Map<TopicPartition, Optional<NewPartitionReassignment>> moves = new HashMap<>();
        for (TopicPartitionInfo partition : topic.partitions()) {
            moves.put(
                    new TopicPartition(topic.name(), partition.partition()),
                    Optional.of(new NewPartitionReassignment(target(partition, wanted, held))));
        }
        if (!dryRun) {
            Cluster.await(cluster.admin().alterPartitionReassignments(moves).all());
        }
        return TopicAlter.change("replication factor", Value.count(before), Value.count(wanted));
    }

    /// Those that have it stay, the last ones go first; who is added holds least of this topic.
    private static List<Integer> target(
            TopicPartitionInfo partition, int wanted, Map<Integer, Integer> held) {
        List<Integer> replicas =
                new ArrayList<>(partition.replicas().stream().map(Node::id).toList());
        while (replicas.size() > wanted) {
            held.merge(replicas.removeLast(), -1, Integer::sum);
        }
        while (replicas.size() < wanted) {
            int next =
                    held.entrySet().stream()
                            .filter(one -> !replicas.contains(one.getKey()))
                            .min(Comparator.comparingInt(Map.Entry::getValue))
                            .orElseThrow()
                            .getKey();
            replicas.add(next);
            held.merge(next, 1, Integer::sum);
        }
        return replicas;
    }
}
