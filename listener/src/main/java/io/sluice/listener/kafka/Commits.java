package io.sluice.listener.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
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

    /// Whether commits say nothing about attempts, because the broker refuses those that do: better than none at all.
    private boolean bare;

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
                            failed(done, failure);
                        }
                    });
        }
    }

    private void failed(Map<TopicPartition, OffsetAndMetadata> offsets, Exception failure) {
        offsets.keySet().forEach(committed::remove);
        if (goesOnBare(failure)) {
            lastNanos -= every.toNanos(); // at the next opportunity
        } else {
            log.warn("The commit of {} has to wait: {}", offsets, failure.toString());
        }
    }

    /// @param patience for each try; another one follows at once when the broker refuses what is said besides
    void now(Collection<TopicPartition> some, Duration patience) {
        Map<TopicPartition, OffsetAndMetadata> offsets = progressOf(some);
        if (offsets.isEmpty()) {
            return;
        }
        try {
            consumer.commitSync(offsets, patience);
        } catch (RuntimeException e) {
            some.forEach(committed::remove);
            // The wake-up of a close is used up now.
            if (e instanceof WakeupException || goesOnBare(e)) {
                now(some, patience);
            } else {
                log.warn("The commit of {} failed; what it covers will be done again.", offsets, e);
            }
        }
    }

    /// @return whether it makes sense to try again, because it will be told differently
    private boolean goesOnBare(Exception failure) {
        if (bare || !(failure instanceof OffsetMetadataTooLarge)) {
            return false;
        }
        bare = true;
        log.warn(
                "The broker refuses notes on attempts with a commit, so they are counted from 1 after a restart. Set its offset.metadata.max.bytes to 4096: {}",
                failure.toString());
        return true;
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
            String attempts = bare ? "" : KeptAttempts.text(offset, progress.attempts());
            var now = new OffsetAndMetadata(offset, attempts);
            if (!now.equals(committed.put(partition, now))) {
                offsets.put(partition, now);
            }
        }
        return offsets;
    }
}
