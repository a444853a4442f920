package io.sluice.chaos.load;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import io.sluice.chaos.history.Value;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/// A member of a consumer group that commits what it has read, about twice a second.
///
/// Runs on a thread of its own; [#stop] may be called from any.
final class GroupMember implements Runnable, ConsumerRebalanceListener {
    private static final long COMMIT_INTERVAL_NANOS = 500_000_000L;

    private final KafkaConsumer<String, String> consumer;
    private final String topic;
    private final String name;
    private final History history;
    private final Map<TopicPartition, OffsetAndMetadata> read = new HashMap<>();
    private volatile boolean stopping;

    GroupMember(Clients clients, String topic, int number, History history) {
        this.name = History.GROUP + "-" + number;
        this.consumer = clients.member("chaos-" + name, "chaos-" + topic);
        this.topic = topic;
        this.history = history;
    }

    @Override
    public void run() {
        try (consumer) {
            consumer.subscribe(List.of(topic), this);
            long nextCommit = System.nanoTime() + COMMIT_INTERVAL_NANOS;
            while (!stopping) {
                poll();
                if (System.nanoTime() > nextCommit) {
                    commit();
                    nextCommit = System.nanoTime() + COMMIT_INTERVAL_NANOS;
                }
            }
        }
    }

    private void poll() {
        try {
            for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                history.add(
                        new Event.Polled(
                                System.nanoTime(),
                                name,
                                record.partition(),
                                record.offset(),
                                Value.parse(record.value())));
                read.put(
                        new TopicPartition(record.topic(), record.partition()),
                        new OffsetAndMetadata(record.offset() + 1));
            }
        } catch (KafkaException passing) {
            Pause.of(Duration.ofMillis(200));
        }
    }

    /// Only what was answered counts as kept.
    private void commit() {
        if (read.isEmpty()) {
            return;
        }
        Map<TopicPartition, OffsetAndMetadata> positions = Map.copyOf(read);
        try {
            consumer.commitSync(positions);
            positions.forEach(
                    (partition, position) -> {
                        history.add(
                                new Event.Committed(
                                        System.nanoTime(),
                                        name,
                                        partition.partition(),
                                        position.offset()));
                        read.remove(partition, position);
                    });
        } catch (KafkaException notKept) {
            // Unknown; the next commit covers it.
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
        for (TopicPartition partition : assigned) {
            history.add(
                    new Event.Resumed(
                            System.nanoTime(), name, partition.partition(), position(partition)));
        }
    }

    private long position(TopicPartition partition) {
        try {
            return consumer.position(partition);
        } catch (KafkaException unknown) {
            return -1;
        }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
        commit();
        revoked.forEach(read::remove);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> lost) {
        lost.forEach(read::remove);
    }

    void stop() {
        stopping = true;
    }
}
