package io.sluice.cli.topic;

import io.sluice.cli.Cluster;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.cli.broker.BrokerStates;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
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
        BrokerStates states = new BrokerStates(cluster);
        ReplicaPlaces places =
                new ReplicaPlaces(
                        Cluster.await(cluster.admin().describeCluster().nodes()),
                        states.draining(),
                        states.fullDisks());
        if (wanted < 1 || wanted > places.usable()) {
            throw new Failure(
                    ExitCode.FAILED,
                    "%d replicas are not possible with %d broker(s) that are there and not being emptied."
                            .formatted(wanted, places.usable()));
        }
        int before = topic.partitions().getFirst().replicas().size();
        for (TopicPartitionInfo partition : topic.partitions()) {
            partition.replicas().forEach(node -> places.holds(node.id()));
        }
        Map<TopicPartition, Optional<NewPartitionReassignment>> moves = new HashMap<>();
        for (TopicPartitionInfo partition : topic.partitions()) {
            List<Integer> target =
                    places.target(
                            partition.replicas().stream().map(Node::id).toList(),
                            partition.isr().stream().map(Node::id).collect(Collectors.toSet()),
                            wanted);
            moves.put(
                    new TopicPartition(topic.name(), partition.partition()),
                    Optional.of(new NewPartitionReassignment(target)));
        }
        if (!dryRun) {
            Cluster.await(cluster.admin().alterPartitionReassignments(moves).all());
        }
        return TopicAlter.change("replication factor", Value.count(before), Value.count(wanted));
    }
}
