package io.sluice.cli.topic;

import io.sluice.cli.Cluster;
import io.sluice.cli.Failure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/// What the broker knows about its topics, asked with as few requests as possible.
///
/// Owned by the main thread.
public final class Topics {
    private static final Pattern WILDCARD = Pattern.compile("[*?]");

    private final Admin admin;

    public Topics(Cluster cluster) {
        this.admin = cluster.admin();
    }

    /// Names in order; internal topics only if asked for.
    public List<String> names(boolean internal) {
        var options = new ListTopicsOptions().listInternal(internal);
        return Cluster.await(admin.listTopics(options).names()).stream().sorted().toList();
    }

    /// Replaces patterns with `*` and `?` by the topics that match; plain names stay as they are.
    public List<String> expand(List<String> patterns, boolean internal) {
        if (patterns.stream().noneMatch(pattern -> WILDCARD.matcher(pattern).find())) {
            return patterns.stream().distinct().toList();
        }
        List<String> all = names(internal);
        List<String> expanded = new ArrayList<>();
        for (String pattern : patterns) {
            if (!WILDCARD.matcher(pattern).find()) {
                expanded.add(pattern);
                continue;
            }
            Pattern regex = glob(pattern);
            all.stream().filter(name -> regex.matcher(name).matches()).forEach(expanded::add);
        }
        return expanded.stream().distinct().toList();
    }

    private static Pattern glob(String pattern) {
        var regex = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            regex.append(
                    switch (c) {
                        case '*' -> ".*";
                        case '?' -> ".";
                        default -> Pattern.quote(String.valueOf(c));
                    });
        }
        return Pattern.compile(regex.toString());
    }

    public Map<String, TopicDescription> describe(Collection<String> names) {
        return names.isEmpty()
                ? Map.of()
                : Cluster.await(admin.describeTopics(names).allTopicNames());
    }

    /// The description of a topic that has to exist.
    ///
    /// @throws Failure that names the topic, when it does not
    public TopicDescription require(String name) {
        try {
            return Optional.ofNullable(describe(List.of(name)).get(name))
                    .orElseThrow(() -> missing(name));
        } catch (UnknownTopicOrPartitionException | InvalidTopicException e) {
            throw missing(name);
        }
    }

    public static Failure missing(String name) {
        return Failure.notFound(
                "There is no topic '%s'. 'sluice topic list' shows what there is, 'sluice topic create %s' makes it."
                        .formatted(name, name));
    }

    public static List<TopicPartition> partitionsOf(TopicDescription topic) {
        return topic.partitions().stream()
                .map(partition -> new TopicPartition(topic.name(), partition.partition()))
                .toList();
    }

    /// Offsets of all those partitions by one kind of question: earliest, latest, by time.
    public Map<TopicPartition, Long> offsets(
            Collection<TopicPartition> partitions, OffsetSpec question) {
        if (partitions.isEmpty()) {
            return Map.of();
        }
        Map<TopicPartition, OffsetSpec> questions = new HashMap<>();
        partitions.forEach(partition -> questions.put(partition, question));
        Map<TopicPartition, Long> offsets = new HashMap<>();
        Map<TopicPartition, ListOffsetsResultInfo> answers =
                Cluster.await(admin.listOffsets(questions).all());
        answers.forEach((partition, answer) -> offsets.put(partition, answer.offset()));
        return offsets;
    }

    /// Bytes of each partition's leader on disk; empty when the broker does not tell.
    public Map<TopicPartition, Long> sizes(Collection<TopicDescription> topics) {
        Map<TopicPartition, Integer> leaders = new HashMap<>();
        for (TopicDescription topic : topics) {
            for (var partition : topic.partitions()) {
                if (partition.leader() != null) {
                    leaders.put(
                            new TopicPartition(topic.name(), partition.partition()),
                            partition.leader().id());
                }
            }
        }
        try {
            Map<TopicPartition, Long> sizes = new HashMap<>();
            Cluster.await(
                            admin.describeLogDirs(leaders.values().stream().distinct().toList())
                                    .allDescriptions())
                    .forEach((broker, dirs) -> addSizes(broker, dirs.values(), leaders, sizes));
            return sizes;
        } catch (KafkaException e) {
            // Not every broker tells, and not everybody may ask; the rest of the answer is still
            // worth showing.
            return Map.of();
        }
    }

    /// How many committed messages the replica that is furthest behind lacks. Partitions are left out of which that is not known: nobody leads them, or a replica that is not in sync does not tell.
    public Map<TopicPartition, Long> lags(TopicDescription topic) {
        Map<TopicPartition, List<Integer>> behind = new HashMap<>();
        for (TopicPartitionInfo partition : topic.partitions()) {
            if (partition.leader() != null && !partition.leader().isEmpty()) {
                behind.put(
                        new TopicPartition(topic.name(), partition.partition()),
                        partition.replicas().stream()
                                .filter(replica -> !partition.isr().contains(replica))
                                .map(Node::id)
                                .toList());
            }
        }
        Map<Integer, Map<TopicPartition, Long>> told = lagsOn(live(topic, behind.values()));
        Map<TopicPartition, Long> lags = new HashMap<>();
        behind.forEach(
                (partition, replicas) -> {
                    long most = 0;
                    for (int replica : replicas) {
                        Long lag = told.getOrDefault(replica, Map.of()).get(partition);
                        if (lag == null) {
                            return;
                        }
                        most = Math.max(most, lag);
                    }
                    lags.put(partition, most);
                });
        return lags;
    }

    /// Whoever is away tells nothing, after a long time.
    private static Set<Integer> live(TopicDescription topic, Collection<List<Integer>> some) {
        Set<Integer> live = new TreeSet<>();
        for (TopicPartitionInfo partition : topic.partitions()) {
            partition.replicas().stream()
                    .filter(replica -> !replica.isEmpty())
                    .forEach(replica -> live.add(replica.id()));
        }
        live.retainAll(some.stream().flatMap(List::stream).toList());
        return live;
    }

    private Map<Integer, Map<TopicPartition, Long>> lagsOn(Set<Integer> brokers) {
        Map<Integer, Map<TopicPartition, Long>> told = new HashMap<>();
        if (brokers.isEmpty()) {
            return told;
        }
        admin.describeLogDirs(brokers)
                .descriptions()
                .forEach(
                        (broker, answer) -> {
                            try {
                                Map<TopicPartition, Long> own = new HashMap<>();
                                for (LogDirDescription dir : Cluster.await(answer).values()) {
                                    dir.replicaInfos()
                                            .forEach(
                                                    (partition, replica) ->
                                                            own.put(
                                                                    partition,
                                                                    replica.offsetLag()));
                                }
                                told.put(broker, own);
                            } catch (KafkaException _) {
                                // As with sizes.
                            }
                        });
        return told;
    }

    private static void addSizes(
            int broker,
            Collection<LogDirDescription> dirs,
            Map<TopicPartition, Integer> leaders,
            Map<TopicPartition, Long> sizes) {
        for (LogDirDescription dir : dirs) {
            dir.replicaInfos()
                    .forEach(
                            (partition, replica) -> {
                                if (Integer.valueOf(broker).equals(leaders.get(partition))) {
                                    sizes.merge(partition, replica.size(), Long::sum);
                                }
                            });
        }
    }
}
