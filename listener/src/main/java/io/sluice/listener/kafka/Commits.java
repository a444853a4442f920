package io.sluice.listener.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells the group how far each partition is done without a gap, and which records behind that have failed before; once in a while and when somebody else takes over.
///
/// Owned by the consumer's thread.
final class Commits {
    private static final Logger log = LoggerFactory.getLogger(Commits.class);

    private final Consumer<?, ?> consumer;
    private final Map<TopicPartition, PartitionProgress> partitions;
    private final Duration every;
    private final Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
    private long lastNanos = System.nanoTime();

    /// @param partitions what the loop knows, as it is at the time
    Commits(
            Consumer<?, ?> consumer,
            Map<TopicPartition, PartitionProgress> partitions,
            Duration every) {
        this.consumer = consumer;
        this.partitions = partitions;
        this.every = every;
    }

    boolean due() {
        return System.nanoTime() - lastNanos >= every.toNanos();
    }

    void soon() {
        lastNanos = System.nanoTime();
        Map<TopicPartition, OffsetAndMetadata> offsets = progressOf(partitions.keySet());
        if (!offsets.isEmpty()) {
            consumer.commitAsync(
                    offsets,
                    (done, failure) -> {
                        if (failure != null) {
                            log.warn("The commit of {} has to wait: {}", done, failure.toString());
                            done.keySet().forEach(committed::remove);
                        }
                    });
        }
    }

    void now(Collection<TopicPartition> some) {
        Map<TopicPartition, OffsetAndMetadata> offsets = progressOf(some);
        if (offsets.isEmpty()) {
            return;
        }
        try {
            try {
                consumer.commitSync(offsets);
            } catch (WakeupException e) {
                consumer.commitSync(offsets); // the wake-up of a close is used up now
            }
        } catch (RuntimeException e) {
            log.warn("The commit of {} failed; what it covers will be done again.", offsets, e);
        }
    }

    /// What those who had these partitions before us have begun and not ended.
    Map<TopicPartition, PartitionProgress> takeOver(Collection<TopicPartition> assigned) {
        Map<TopicPartition, OffsetAndMetadata> left = Map.of();
        try {
            left = consumer.committed(Set.copyOf(assigned));
        } catch (RuntimeException e) {
            log.warn("Attempts at records of {} begin at 1: {}", assigned, e.toString());
        }
        Map<TopicPartition, PartitionProgress> taken = new HashMap<>();
        for (TopicPartition partition : assigned) {
            OffsetAndMetadata commit = left.get(partition);
            taken.put(
                    partition,
                    commit == null
                            ? new PartitionProgress()
                            : new PartitionProgress(
                                    KeptAttempts.read(commit.offset(), commit.metadata())));
        }
        return taken;
    }

    /// It belongs to somebody else.
    void forget(TopicPartition partition) {
        committed.remove(partition);
    }

    /// What has not been committed yet; counts as committed from now on.
    private Map<TopicPartition, OffsetAndMetadata> progressOf(Collection<TopicPartition> some) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (TopicPartition partition : some) {
            PartitionProgress progress = partitions.get(partition);
            long offset = progress == null ? -1 : progress.committable();
            if (progress == null || offset < 0) {
                continue;
            }
            var now = new OffsetAndMetadata(offset, KeptAttempts.text(offset, progress.attempts()));
            if (!now.equals(committed.put(partition, now))) {
                offsets.put(partition, now);
            }
        }
        return offsets;
    }
}
