package io.sluice.cli.broker;

import io.sluice.cli.Cluster;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.PartitionReassignment;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;

/// Replicas on the move and how much of them is still to be copied, found through Kafka's own admin API: what the leader has on disk and the new replica has not. Immutable.
record MoveProgress(List<Row> rows) {
    /// @param bytesLeft of all replicas that are added, together
    record Row(
            TopicPartition partition,
            List<Integer> adding,
            List<Integer> removing,
            long bytesLeft) {}

    static MoveProgress ask(Admin admin) {
        Map<TopicPartition, PartitionReassignment> moves =
                Cluster.await(admin.listPartitionReassignments().reassignments());
        Map<TopicPartition, Integer> leaders = leaders(admin, moves.keySet());
        TreeSet<Integer> brokers = new TreeSet<>(leaders.values());
        moves.values().forEach(move -> brokers.addAll(move.addingReplicas()));
        Map<Integer, Map<TopicPartition, Long>> sizes = sizes(admin, brokers);
        Map<String, Row> rows = new TreeMap<>();
        moves.forEach(
                (partition, move) -> {
                    Map<TopicPartition, Long> there =
                            sizes.getOrDefault(leaders.getOrDefault(partition, -1), Map.of());
                    long whole = there.getOrDefault(partition, 0L);
                    long left = 0;
                    for (int replica : move.addingReplicas()) {
                        long has =
                                sizes.getOrDefault(replica, Map.of()).getOrDefault(partition, 0L);
                        left += Math.max(0, whole - Math.max(0, has));
                    }
                    rows.put(
                            "%s-%09d".formatted(partition.topic(), partition.partition()),
                            new Row(
                                    partition,
                                    move.addingReplicas(),
                                    move.removingReplicas(),
                                    left));
                });
        return new MoveProgress(List.copyOf(rows.values()));
    }

    private static Map<TopicPartition, Integer> leaders(
            Admin admin, Collection<TopicPartition> partitions) {
        List<String> topics = partitions.stream().map(TopicPartition::topic).distinct().toList();
        Map<TopicPartition, Integer> leaders = new HashMap<>();
        for (TopicDescription topic :
                Cluster.await(admin.describeTopics(topics).allTopicNames()).values()) {
            for (TopicPartitionInfo info : topic.partitions()) {
                Node leader = info.leader();
                if (leader != null && !leader.isEmpty()) {
                    leaders.put(new TopicPartition(topic.name(), info.partition()), leader.id());
                }
            }
        }
        leaders.keySet().retainAll(partitions);
        return leaders;
    }

    /// Of brokers that are there; the others tell nothing.
    private static Map<Integer, Map<TopicPartition, Long>> sizes(
            Admin admin, Collection<Integer> brokers) {
        List<Integer> live = new ArrayList<>();
        for (Node node : Cluster.await(admin.describeCluster().nodes())) {
            if (brokers.contains(node.id())) {
                live.add(node.id());
            }
        }
        Map<Integer, Map<TopicPartition, Long>> sizes = new HashMap<>();
        if (live.isEmpty()) {
            return sizes;
        }
        Cluster.await(admin.describeLogDirs(live).allDescriptions())
                .forEach(
                        (broker, dirs) -> {
                            Map<TopicPartition, Long> own = new HashMap<>();
                            dirs.values()
                                    .forEach(
                                            dir ->
                                                    dir.replicaInfos()
                                                            .forEach(
                                                                    (partition, replica) ->
                                                                            own.merge(
                                                                                    partition,
                                                                                    replica.size(),
                                                                                    Long::sum)));
                            sizes.put(broker, own);
                        });
        return sizes;
    }

    long bytesLeft() {
        return rows.stream().mapToLong(Row::bytesLeft).sum();
    }

    /// Takes all of them back; replicas stay or become as they were. Returns how many.
    int cancel(Admin admin) {
        Map<TopicPartition, Optional<NewPartitionReassignment>> none = new HashMap<>();
        rows.forEach(row -> none.put(row.partition(), Optional.empty()));
        if (!none.isEmpty()) {
            Cluster.await(admin.alterPartitionReassignments(none).all());
        }
        return none.size();
    }
}
