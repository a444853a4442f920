package io.sluice.cli.cluster;

import io.sluice.cli.Cluster;
import io.sluice.cli.ExitCode;
import io.sluice.cli.output.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.PartitionReassignment;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.TimeoutException;

/// What is wrong in a cluster, found through Kafka's own admin API. Immutable.
///
/// @param offline partitions without a leader
/// @param moving partitions whose replicas are on the move; not a fault
/// @param away brokers that belong to the cluster and are not there
/// @param silent brokers that are said to be there and do not answer
/// @param undirected brokers that cannot reach the metadata store, or hear from no controller: for them nothing can be elected or created
/// @param fullDisks brokers whose disk is full
/// @param damaged places on the disks of brokers that are damaged and not mended, by broker
record ClusterState(
        List<Integer> liveBrokers,
        List<Integer> fencedBrokers,
        List<Integer> away,
        List<Integer> silent,
        List<Integer> undirected,
        int partitionCount,
        List<String> offline,
        List<String> underMinInSync,
        List<String> underReplicated,
        List<String> moving,
        List<Integer> fullDisks,
        SortedMap<Integer, Long> damaged) {
    private static final String DAMAGES = "log.damages";
    private static final String FULL_DISKS = "cluster.full-disks";
    private static final String AWAY = "cluster.away";
    private static final String DIRECTED = "cluster.directed";

    /// From good to bad.
    enum Verdict {
        HEALTHY("healthy", Value.Mood.GOOD, ExitCode.OK),
        DEGRADED("degraded", Value.Mood.DOUBTFUL, ExitCode.PARTIAL),
        BROKEN("broken", Value.Mood.BAD, ExitCode.FAILED);

        private final String label;
        private final Value.Mood mood;
        private final ExitCode exitCode;

        Verdict(String label, Value.Mood mood, ExitCode exitCode) {
            this.label = label;
            this.mood = mood;
            this.exitCode = exitCode;
        }

        String label() {
            return label;
        }

        Value.Mood mood() {
            return mood;
        }

        ExitCode exitCode() {
            return exitCode;
        }
    }

    static ClusterState ask(Admin admin) {
        List<Integer> live = new ArrayList<>();
        List<Integer> fenced = new ArrayList<>();
        for (Node node :
                Cluster.await(
                        admin.describeCluster(
                                        new DescribeClusterOptions().includeFencedBrokers(true))
                                .nodes())) {
            (node.isFenced() ? fenced : live).add(node.id());
        }
        // Before the topics: then a move that ends meanwhile is not taken for a missing copy.
        Map<TopicPartition, PartitionReassignment> moves =
                Cluster.await(admin.listPartitionReassignments().reassignments());
        Collection<String> names =
                Cluster.await(admin.listTopics(new ListTopicsOptions().listInternal(true)).names());
        Map<String, TopicDescription> topics =
                new TreeMap<>(Cluster.await(admin.describeTopics(names).allTopicNames()));
        Map<String, Integer> needed = minInSync(admin, names);
        Told told = told(admin, live);
        ClusterState state =
                new ClusterState(
                        live.stream().sorted().toList(),
                        fenced.stream().sorted().toList(),
                        ids(admin, AWAY),
                        told.silent,
                        told.undirected,
                        topics.values().stream().mapToInt(topic -> topic.partitions().size()).sum(),
                        new ArrayList<>(),
                        new ArrayList<>(),
                        new ArrayList<>(),
                        new ArrayList<>(),
                        ids(admin, FULL_DISKS),
                        told.damaged);
        topics.forEach(
                (name, topic) -> {
                    for (TopicPartitionInfo partition : topic.partitions()) {
                        PartitionReassignment move =
                                moves.get(new TopicPartition(name, partition.partition()));
                        state.sort(
                                name,
                                partition,
                                needed.getOrDefault(name, 1),
                                move == null ? List.of() : move.addingReplicas());
                    }
                });
        moves.keySet().forEach(moving -> state.moving.add(moving.toString()));
        return state;
    }

    /// As the controller has been told.
    private static List<Integer> ids(Admin admin, String name) {
        ConfigResource all = new ConfigResource(ConfigResource.Type.BROKER, "");
        Config config = Cluster.await(admin.describeConfigs(List.of(all)).all()).get(all);
        ConfigEntry entry = config == null ? null : config.get(name);
        String ids = entry == null || entry.value() == null ? "" : entry.value();
        return ids.isBlank()
                ? List.of()
                : Arrays.stream(ids.split(",", -1)).map(id -> Integer.valueOf(id.trim())).toList();
    }

    /// What brokers tell of themselves.
    private record Told(
            List<Integer> silent, List<Integer> undirected, SortedMap<Integer, Long> damaged) {
        void note(int broker, Config config) {
            ConfigEntry damages = config.get(DAMAGES);
            if (damages != null && !"0".equals(damages.value())) {
                damaged.put(broker, Long.valueOf(damages.value()));
            }
            ConfigEntry directed = config.get(DIRECTED);
            if (directed != null && "false".equals(directed.value())) {
                undirected.add(broker);
            }
        }
    }

    private static Told told(Admin admin, List<Integer> brokers) {
        List<ConfigResource> resources =
                brokers.stream()
                        .map(
                                id ->
                                        new ConfigResource(
                                                ConfigResource.Type.BROKER, String.valueOf(id)))
                        .toList();
        Told told = new Told(new ArrayList<>(), new ArrayList<>(), new TreeMap<>());
        SortedMap<Integer, KafkaFuture<Config>> answers = new TreeMap<>();
        admin.describeConfigs(resources)
                .values()
                .forEach((one, answer) -> answers.put(Integer.valueOf(one.name()), answer));
        answers.forEach(
                (broker, answer) -> {
                    try {
                        told.note(broker, Cluster.await(answer));
                    } catch (TimeoutException | DisconnectException _) {
                        told.silent.add(broker);
                    }
                });
        return told;
    }

    long damages() {
        return damaged.values().stream().mapToLong(Long::longValue).sum();
    }

    /// @param adding replicas that a move has ordered: until they have caught up, the others are all that there should be
    void sort(String topic, TopicPartitionInfo partition, int needed, List<Integer> adding) {
        String name = topic + "-" + partition.partition();
        long whole =
                partition.replicas().stream()
                        .filter(replica -> !adding.contains(replica.id()))
                        .count();
        Node leader = partition.leader();
        if (leader == null || leader.isEmpty()) {
            offline.add(name);
        } else if (partition.isr().size() < needed) {
            underMinInSync.add(name);
        } else if (partition.isr().size() < whole) {
            underReplicated.add(name);
        }
    }

    private static Map<String, Integer> minInSync(Admin admin, Collection<String> topics) {
        List<ConfigResource> resources =
                topics.stream()
                        .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
                        .toList();
        Map<String, Integer> needed = new HashMap<>();
        if (resources.isEmpty()) {
            return needed;
        }
        for (Map.Entry<ConfigResource, Config> one :
                Cluster.await(admin.describeConfigs(resources).all()).entrySet()) {
            ConfigEntry entry = one.getValue().get("min.insync.replicas");
            if (entry != null && entry.value() != null) {
                needed.put(one.getKey().name(), Integer.valueOf(entry.value()));
            }
        }
        return needed;
    }

    Verdict verdict() {
        if (!offline.isEmpty() || !underMinInSync.isEmpty()) {
            return Verdict.BROKEN;
        }
        boolean well =
                underReplicated.isEmpty()
                        && fencedBrokers.isEmpty()
                        && away.isEmpty()
                        && silent.isEmpty()
                        && undirected.isEmpty()
                        && fullDisks.isEmpty()
                        && damaged.isEmpty();
        return well ? Verdict.HEALTHY : Verdict.DEGRADED;
    }

    List<String> reasons() {
        List<String> reasons = new ArrayList<>();
        add(reasons, offline, "without a leader");
        add(reasons, underMinInSync, "with too few in-sync replicas for acks=all");
        add(reasons, underReplicated, "with a replica that is not in sync");
        if (!fencedBrokers.isEmpty()) {
            reasons.add("broker(s) " + fencedBrokers + " are registered but do not take part");
        }
        if (!away.isEmpty()) {
            reasons.add("broker(s) " + away + " are away");
        }
        if (!silent.isEmpty()) {
            reasons.add("broker(s) " + silent + " do not answer");
        }
        if (!undirected.isEmpty()) {
            reasons.add(
                    "no controller acts, say broker(s) "
                            + undirected
                            + ": nothing can be elected or created");
        }
        fullDisks.forEach(
                broker ->
                        reasons.add(
                                "the disk of broker "
                                        + broker
                                        + " is full, so that it takes no messages"));
        damaged.forEach(
                (broker, places) ->
                        reasons.add(
                                places
                                        + " place(s) on the disk of broker "
                                        + broker
                                        + " are damaged and could not be mended yet"));
        add(reasons, moving, "on the move");
        return reasons;
    }

    private static void add(List<String> reasons, List<String> partitions, String what) {
        if (!partitions.isEmpty()) {
            reasons.add(
                    partitions.size()
                            + " partition(s) "
                            + what
                            + " ("
                            + partitions.getFirst()
                            + (partitions.size() > 1 ? ", …" : "")
                            + ")");
        }
    }
}
