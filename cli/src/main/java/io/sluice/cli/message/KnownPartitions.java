package io.sluice.cli.message;

import io.sluice.cli.Cluster;
import io.sluice.cli.Failure;
import io.sluice.cli.topic.Topics;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/// Whether a topic has the partition that a message names. Asked before the producer is: it would have the broker make a topic that
/// is not there, and only then find that the partition is missing.
///
/// Owned by the main thread.
final class KnownPartitions {
    private final Cluster cluster;
    private final String topic;
    private int known;

    KnownPartitions(Cluster cluster, String topic) {
        this.cluster = cluster;
        this.topic = topic;
    }

    /// Throws with what to do about it when the topic has no such partition.
    void require(int partition) {
        if (partition < 0) {
            throw Failure.usage("Partitions are counted from 0; there is no " + partition + ".");
        }
        // Every topic has the first one, whoever makes it.
        if (partition == 0 || partition < known) {
            return;
        }
        TopicDescription found = find().orElseThrow(() -> missingTopic(partition));
        known = found.partitions().size();
        if (partition >= known) {
            throw missingPartition(partition);
        }
    }

    private Optional<TopicDescription> find() {
        try {
            return Optional.ofNullable(new Topics(cluster).describe(List.of(topic)).get(topic));
        } catch (UnknownTopicOrPartitionException e) {
            return Optional.empty();
        }
    }

    private Failure missingTopic(int partition) {
        return Failure.notFound(
                "There is no topic '%s' with a partition %d, and none was made. 'sluice topic create %s --partitions %d' makes it."
                        .formatted(topic, partition, topic, partition + 1));
    }

    private Failure missingPartition(int partition) {
        return Failure.notFound(
                "Topic '%s' has no partition %d: it has %s. 'sluice topic alter %s --partitions %d' adds what is missing."
                        .formatted(
                                topic,
                                partition,
                                known == 1 ? "only partition 0" : "0 to " + (known - 1),
                                topic,
                                partition + 1));
    }
}
