package io.sluice.cli.group;

import io.sluice.cli.Cluster;
import io.sluice.cli.Failure;
import io.sluice.cli.output.Value;
import io.sluice.cli.topic.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/// What the broker knows about consumer groups, asked for all of them at once where the protocol allows it.
///
/// Owned by the main thread.
final class Groups {
    private final Cluster cluster;
    private final Admin admin;
    private final Topics topics;

    Groups(Cluster cluster) {
        this.cluster = cluster;
        this.admin = cluster.admin();
        this.topics = new Topics(cluster);
    }

    List<GroupListing> all() {
        return Cluster.await(admin.listGroups().all()).stream()
                .sorted(Comparator.comparing(GroupListing::groupId))
                .toList();
    }

    Map<String, ConsumerGroupDescription> describe(Collection<String> groups) {
        return groups.isEmpty()
                ? Map.of()
                : Cluster.await(admin.describeConsumerGroups(groups).all());
    }

    /// The description of a group that has to exist, as members or as committed offsets.
    ///
    /// @throws Failure that names the group, when it does not
    ConsumerGroupDescription require(String group) {
        try {
            ConsumerGroupDescription found = describe(List.of(group)).get(group);
            if (found != null
                    && (found.groupState() != GroupState.DEAD || !committed(group).isEmpty())) {
                return found;
            }
        } catch (GroupIdNotFoundException e) {
            // said below
        }
        throw Failure.notFound(
                "There is no group '%s'. 'sluice group list' shows what there is."
                        .formatted(group));
    }

    Map<TopicPartition, Long> committed(String group) {
        return committed(List.of(group)).getOrDefault(group, Map.of());
    }

    /// Committed offsets by group.
    Map<String, Map<TopicPartition, Long>> committed(Collection<String> groups) {
        if (groups.isEmpty()) {
            return Map.of();
        }
        Map<String, ListConsumerGroupOffsetsSpec> questions = new HashMap<>();
        groups.forEach(group -> questions.put(group, new ListConsumerGroupOffsetsSpec()));
        Map<String, Map<TopicPartition, Long>> offsets = new HashMap<>();
        Cluster.await(admin.listConsumerGroupOffsets(questions).all())
                .forEach((group, answer) -> offsets.put(group, known(answer)));
        return offsets;
    }

    private static Map<TopicPartition, Long> known(Map<TopicPartition, OffsetAndMetadata> answer) {
        Map<TopicPartition, Long> known = new HashMap<>();
        answer.forEach(
                (partition, offset) -> {
                    // A partition without a commit comes as null.
                    if (offset != null && offset.offset() >= 0) {
                        known.put(partition, offset.offset());
                    }
                });
        return known;
    }

    /// Lag in messages of each committed partition whose topic still exists.
    List<PartitionLag> lags(Map<TopicPartition, Long> committed) {
        Set<String> existing = new HashSet<>(topics.names(true));
        List<TopicPartition> partitions =
                committed.keySet().stream()
                        .filter(partition -> existing.contains(partition.topic()))
                        .sorted(
                                Comparator.comparing(TopicPartition::topic)
                                        .thenComparingInt(TopicPartition::partition))
                        .toList();
        Map<TopicPartition, Long> starts = topics.offsets(partitions, OffsetSpec.earliest());
        Map<TopicPartition, Long> ends = topics.offsets(partitions, OffsetSpec.latest());
        List<PartitionLag> lags = new ArrayList<>();
        for (TopicPartition partition : partitions) {
            lags.add(
                    new PartitionLag(
                            partition,
                            committed.getOrDefault(partition, 0L),
                            starts.getOrDefault(partition, 0L),
                            ends.getOrDefault(partition, 0L),
                            Optional.empty()));
        }
        return lags;
    }

    /// The same lags with their age. Nothing unread is no time behind.
    List<PartitionLag> withAges(List<PartitionLag> lags, Instant now) {
        Map<TopicPartition, Long> unread = new HashMap<>();
        for (PartitionLag lag : lags) {
            if (lag.messages() > 0) {
                unread.put(lag.partition(), Math.max(lag.committed(), lag.start()));
            }
        }
        Map<TopicPartition, Instant> times = new TimeLag(cluster.settings()).writtenAt(unread);
        List<PartitionLag> aged = new ArrayList<>();
        for (PartitionLag lag : lags) {
            Instant written = times.get(lag.partition());
            Optional<Duration> age =
                    lag.messages() == 0
                            ? Optional.of(Duration.ZERO)
                            : Optional.ofNullable(written).map(at -> since(at, now));
            aged.add(
                    new PartitionLag(
                            lag.partition(), lag.committed(), lag.start(), lag.end(), age));
        }
        return aged;
    }

    /// A producer's clock may run ahead of ours.
    private static Duration since(Instant written, Instant now) {
        Duration age = Duration.between(written, now);
        return age.isNegative() ? Duration.ZERO : age;
    }

    static boolean live(ConsumerGroupDescription group) {
        return !group.members().isEmpty();
    }

    static Value state(GroupState state) {
        Value.Mood mood =
                switch (state) {
                    case STABLE -> Value.Mood.GOOD;
                    case DEAD, UNKNOWN -> Value.Mood.BAD;
                    case EMPTY,
                            PREPARING_REBALANCE,
                            COMPLETING_REBALANCE,
                            ASSIGNING,
                            RECONCILING,
                            NOT_READY ->
                            Value.Mood.DOUBTFUL;
                };
        return Value.state(state.toString(), mood);
    }
}
