package io.sluice.chaos.load;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import io.sluice.chaos.history.Value;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/// Reads everything once more when the load has ended and nothing is broken any more.
///
/// Runs on the campaign's thread.
final class LastReader {
    private static final Duration WITHOUT_PROGRESS = Duration.ofSeconds(60);

    private LastReader() {}

    /// Reads every partition to its end. A partition that cannot be read to its end gets no [Event.Drained].
    static void read(Clients clients, String topic, int partitionCount, History history) {
        List<TopicPartition> partitions = new ArrayList<>();
        for (int partition = 0; partition < partitionCount; partition++) {
            partitions.add(new TopicPartition(topic, partition));
        }
        try (KafkaConsumer<String, String> consumer = clients.reader("chaos-drain")) {
            consumer.assign(partitions);
            partitions.forEach(partition -> consumer.seek(partition, 0));
            Map<TopicPartition, Long> ends = new HashMap<>();
            long lastProgress = System.nanoTime();
            while (System.nanoTime() - lastProgress < WITHOUT_PROGRESS.toNanos()) {
                if (poll(consumer, history)) {
                    lastProgress = System.nanoTime();
                } else if (finished(consumer, partitions, ends)) {
                    ends.forEach(
                            (partition, end) ->
                                    history.add(
                                            new Event.Drained(
                                                    System.nanoTime(),
                                                    partition.partition(),
                                                    end)));
                    return;
                }
            }
            ends.forEach(
                    (partition, end) -> {
                        if (consumer.position(partition) >= end) {
                            history.add(
                                    new Event.Drained(
                                            System.nanoTime(), partition.partition(), end));
                        }
                    });
        }
    }

    private static boolean poll(KafkaConsumer<String, String> consumer, History history) {
        boolean any = false;
        try {
            for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(500))) {
                any = true;
                history.add(
                        new Event.Polled(
                                System.nanoTime(),
                                History.LAST_READER,
                                record.partition(),
                                record.offset(),
                                Value.parse(record.value())));
            }
        } catch (KafkaException passing) {
            Pause.of(Duration.ofMillis(500));
        }
        return any;
    }

    private static boolean finished(
            KafkaConsumer<String, String> consumer,
            List<TopicPartition> partitions,
            Map<TopicPartition, Long> ends) {
        try {
            ends.putAll(consumer.endOffsets(partitions));
            return partitions.stream()
                    .allMatch(
                            partition ->
                                    consumer.position(partition)
                                            >= ends.getOrDefault(partition, Long.MAX_VALUE));
        } catch (KafkaException unknown) {
            return false;
        }
    }
}
