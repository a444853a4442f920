package io.sluice.listener.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells the group how far each partition is done without a gap, once in a while and when somebody else takes over.
///
/// Owned by the consumer's thread.
final class Commits {
    private static final Logger log = LoggerFactory.getLogger(Commits.class);

    private final Consumer<?, ?> consumer;
    private final Map<TopicPartition, PartitionProgress> partitions;
    private final Duration every;
    private final Map<TopicPartition, Long> committed = new HashMap<>();
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

    void whenDue() {
        if (System.nanoTime() - lastNanos < every.toNanos()) {
            return;
        }
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
            if (offset >= 0 && !Long.valueOf(offset).equals(committed.put(partition, offset))) {
                offsets.put(partition, new OffsetAndMetadata(offset));
            }
        }
        return offsets;
    }
}
