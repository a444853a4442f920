package io.sluice.conformance;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.PartitionReassignment;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;

/// Somebody who changes the shape of a cluster with Kafka's own admin client, as the command `sluice` does it.
///
/// Immutable. The client belongs to who made it.
record Operator(Admin admin) {
    private static final ConfigResource ALL_BROKERS =
            new ConfigResource(ConfigResource.Type.BROKER, "");

    /// Bytes per second that each broker may copy for moves; 0 for no limit.
    void limitMoves(int bytesPerSecond) {
        alter(
                "cluster.move-bytes-per-second",
                Integer.toString(bytesPerSecond),
                AlterConfigOp.OpType.SET);
    }

    /// Orders that all its replicas move to the others.
    void drain(int broker) {
        alter("cluster.draining", Integer.toString(broker), AlterConfigOp.OpType.APPEND);
    }

    /// It may have replicas again, and gets its share of those that there are.
    void takeIn(int broker) {
        alter("cluster.draining", Integer.toString(broker), AlterConfigOp.OpType.SUBTRACT);
        alter("cluster.rebalance", "now", AlterConfigOp.OpType.SET);
    }

    private void alter(String name, String value, AlterConfigOp.OpType how) {
        AlterConfigOp change = new AlterConfigOp(new ConfigEntry(name, value), how);
        Clients.result(admin.incrementalAlterConfigs(Map.of(ALL_BROKERS, List.of(change))).all());
    }

    void move(TopicPartition partition, List<Integer> replicas) {
        reassign(partition, Optional.of(new NewPartitionReassignment(replicas)));
    }

    /// Takes its move back.
    void cancel(TopicPartition partition) {
        reassign(partition, Optional.empty());
    }

    private void reassign(TopicPartition partition, Optional<NewPartitionReassignment> target) {
        Clients.result(admin.alterPartitionReassignments(Map.of(partition, target)).all());
    }

    Map<TopicPartition, PartitionReassignment> moves() {
        return Clients.result(admin.listPartitionReassignments().reassignments());
    }

    /// Asks for the first replica as leader; why that was not done, if it was not.
    Optional<Throwable> electPreferred(TopicPartition partition) {
        return Clients.result(
                        admin.electLeaders(ElectionType.PREFERRED, Set.of(partition)).partitions())
                .getOrDefault(partition, Optional.empty());
    }

    TopicPartitionInfo describe(TopicPartition partition) {
        return Clients.result(
                        admin.describeTopics(List.of(partition.topic()))
                                .topicNameValues()
                                .get(partition.topic()))
                .partitions()
                .get(partition.partition());
    }

    /// The preferred leader first.
    List<Integer> replicas(TopicPartition partition) {
        return ids(describe(partition).replicas());
    }

    /// Of all topics, also of those that the brokers keep for themselves.
    List<TopicPartitionInfo> everything() {
        Collection<String> names =
                Clients.result(
                        admin.listTopics(new ListTopicsOptions().listInternal(true)).names());
        return Clients.result(admin.describeTopics(names).allTopicNames()).values().stream()
                .map(TopicDescription::partitions)
                .flatMap(List::stream)
                .toList();
    }

    /// Whether it leads nothing, and nothing is planned to be on it.
    boolean isFree(int broker) {
        return everything().stream()
                .noneMatch(partition -> ids(partition.replicas()).contains(broker));
    }

    /// What it has on its disk.
    Set<TopicPartition> stored(int broker) {
        return Clients.result(admin.describeLogDirs(List.of(broker)).descriptions().get(broker))
                .values()
                .stream()
                .flatMap(directory -> directory.replicaInfos().keySet().stream())
                .collect(Collectors.toSet());
    }

    static List<Integer> ids(List<Node> nodes) {
        return nodes.stream().map(Node::id).toList();
    }
}
