package io.sluice.chaos.load;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import io.sluice.chaos.history.Value;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/// A consumer that follows every partition from the beginning, through everything that happens.
///
/// Runs on a thread of its own; [#stop] may be called from any.
final class TailReader implements Runnable {
    static final String NAME = "reader";

    private final KafkaConsumer<String, String> consumer;
    private final List<TopicPartition> partitions = new ArrayList<>();
    private final History history;
    private volatile boolean stopping;

    TailReader(Clients clients, String topic, int partitionCount, History history) {
        this.consumer = clients.reader("chaos-" + NAME);
        this.history = history;
        for (int partition = 0; partition < partitionCount; partition++) {
            partitions.add(new TopicPartition(topic, partition));
        }
    }

    @Override
    public void run() {
        try (consumer) {
            consumer.assign(partitions);
            partitions.forEach(partition -> consumer.seek(partition, 0));
            while (!stopping) {
                poll();
            }
        }
    }

    private void poll() {
        try {
            for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                history.add(
                        new Event.Polled(
                                System.nanoTime(),
                                NAME,
                                record.partition(),
                                record.offset(),
                                Value.parse(record.value())));
            }
        } catch (OffsetOutOfRangeException gone) {
            goOnAt(gone.offsetOutOfRangePartitions());
        } catch (KafkaException passing) {
            // Brokers are dying all around it; what it does not get to see is found in the end.
            Pause.of(Duration.ofMillis(200));
        }
    }

    /// Insists on where it was: a position is no less right for a broker's denying it.
    private void goOnAt(Map<TopicPartition, Long> positions) {
        positions.forEach(
                (partition, offset) -> {
                    history.add(
                            new Event.OutOfRange(
                                    System.nanoTime(), NAME, partition.partition(), offset));
                    consumer.seek(partition, offset);
                });
        Pause.of(Duration.ofMillis(500));
    }

    void stop() {
        stopping = true;
    }
}
