package io.sluice.listener.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Partitions that have come to us, until the group has said what those who had them before have begun and not ended.
///
/// ```
///  arrived: paused ──▶ asked, between polls ──▶ known: may be read
///                        └─⟲ no answer: again, with more patience
/// ```
/// Not asked inside of the rebalance: a coordinator that does not answer would hold up the whole group. Not read before: a record that has failed four times would
/// begin at its first attempt again.
///
/// Owned by the consumer's thread.
final class Newcomers {
    private static final Logger log = LoggerFactory.getLogger(Newcomers.class);
    private static final Duration FIRST_PATIENCE = Duration.ofMillis(250);
    private static final Duration LONGEST_PATIENCE = Duration.ofSeconds(4);

    private final Consumer<?, ?> consumer;
    private final Set<TopicPartition> unknown = new HashSet<>();
    private Duration patience = FIRST_PATIENCE;

    Newcomers(Consumer<?, ?> consumer) {
        this.consumer = consumer;
    }

    void arrived(Collection<TopicPartition> assigned) {
        consumer.pause(assigned);
        unknown.addAll(assigned);
    }

    /// It belongs to somebody else.
    void left(TopicPartition partition) {
        unknown.remove(partition);
        if (unknown.isEmpty()) {
            patience = FIRST_PATIENCE;
        }
    }

    /// In a few words, that nobody answers although it was asked several times.
    @Nullable String silence() {
        return patience.compareTo(LONGEST_PATIENCE) < 0
                ? null
                : "the group does not say how far " + unknown + " have been worked through";
    }

    /// Those that may be read from now on; none, when there are none or nobody answers.
    Map<TopicPartition, PartitionProgress> known() {
        if (unknown.isEmpty()) {
            return Map.of();
        }
        Map<TopicPartition, PartitionProgress> known = new HashMap<>();
        try {
            Map<TopicPartition, OffsetAndMetadata> commits = commits();
            for (TopicPartition partition : unknown) {
                known.put(partition, progress(partition, commits.get(partition)));
            }
        } catch (RetriableException e) {
            log.warn("Nothing of {} is read before its group answers: {}", unknown, e.toString());
            Duration twice = patience.multipliedBy(2);
            patience = twice.compareTo(LONGEST_PATIENCE) < 0 ? twice : LONGEST_PATIENCE;
            return Map.of();
        }
        unknown.clear();
        patience = FIRST_PATIENCE;
        return known;
    }

    private Map<TopicPartition, OffsetAndMetadata> commits() {
        try {
            return consumer.committed(Set.copyOf(unknown), patience);
        } catch (WakeupException | InterruptException | RetriableException e) {
            throw e;
        } catch (RuntimeException e) {
            log.warn("Attempts at records of {} begin at 1: {}", unknown, e.toString());
            return Map.of();
        }
    }

    /// Where reading begins is known before the first record is read; later nobody could say.
    private PartitionProgress progress(
            TopicPartition partition, @Nullable OffsetAndMetadata commit) {
        return new PartitionProgress(
                consumer.position(partition, patience),
                commit == null
                        ? new TreeMap<>()
                        : KeptAttempts.read(commit.offset(), commit.metadata()));
    }
}
