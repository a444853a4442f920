package io.sluice.listener.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.listener.kafka.PartitionProgress.When;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

/// A broker that takes offsets, but nothing that is said besides.
class CommitsTest {
    private static final TopicPartition PARTITION = new TopicPartition("orders", 0);
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /// What the broker was told, and whether it took it.
    private final Queue<String> told = new ConcurrentLinkedQueue<>();

    private int timeouts;
    private final MockConsumer<byte[], byte[]> consumer =
            new MockConsumer<>("earliest") {
                @Override
                public synchronized void commitAsync(
                        Map<TopicPartition, OffsetAndMetadata> offsets,
                        OffsetCommitCallback callback) {
                    callback.onComplete(offsets, refused(offsets) ? tooLarge() : null);
                }

                @Override
                public synchronized void commitSync(
                        Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
                    if (timeouts-- > 0) {
                        throw new TimeoutException("nobody there");
                    }
                    if (refused(offsets)) {
                        throw tooLarge();
                    }
                }
            };

    private final Map<TopicPartition, PartitionProgress> partitions = new HashMap<>();
    private final Commits commits = new Commits(consumer, partitions, Duration.ofHours(1));

    private static OffsetMetadataTooLarge tooLarge() {
        return new OffsetMetadataTooLarge("more than 0 bytes");
    }

    private boolean refused(Map<TopicPartition, OffsetAndMetadata> offsets) {
        OffsetAndMetadata offset = offsets.values().iterator().next();
        told.add(offset.offset() + " " + offset.metadata());
        return !offset.metadata().isEmpty();
    }

    /// Offset 5 has failed twice.
    private PartitionProgress progress() {
        var progress = new PartitionProgress();
        for (long offset = 0; offset < 5; offset++) {
            progress.begin(offset);
            progress.done(offset);
        }
        progress.begin(5);
        progress.attempting(5, 2);
        progress.defer(5, new When(0), true, null);
        partitions.put(PARTITION, progress);
        return progress;
    }

    @Test
    void aCommitWhoseAttemptsAreRefusedIsMadeWithoutThem() {
        PartitionProgress progress = progress();
        assertThat(commits.due()).isFalse();
        commits.soon();
        assertThat(commits.due()).as("at once").isTrue();
        commits.soon();
        assertThat(told).containsExactly("5 sluice-attempts 0=3", "5 ");
        assertThat(commits.due()).isFalse();

        progress.begin(6);
        progress.attempting(6, 4);
        progress.begin(5);
        progress.done(5);
        commits.soon();
        assertThat(told).as("and so are all others").last().isEqualTo("6 ");
    }

    @Test
    void soItIsAtTheEnd() {
        progress();
        commits.now(List.of(PARTITION), PATIENCE);
        assertThat(told).containsExactly("5 sluice-attempts 0=3", "5 ");
    }

    @Test
    void whatCouldNotBeCommittedIsCommittedTheNextTime() {
        progress();
        timeouts = 1;
        commits.now(List.of(PARTITION), PATIENCE);
        assertThat(told).isEmpty();
        commits.now(List.of(PARTITION), PATIENCE);
        assertThat(told).last().isEqualTo("5 ");
    }
}
