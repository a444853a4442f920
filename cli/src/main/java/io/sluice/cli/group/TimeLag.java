package io.sluice.cli.group;

import io.sluice.cli.ClientSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/// When the next unread message of a partition was written, found by reading it. That is the lag in time: the protocol
/// has no question for it.
///
/// Owned by the main thread.
final class TimeLag {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ClientSettings settings;

    TimeLag(ClientSettings settings) {
        this.settings = settings;
    }

    /// Reads one message at each of these offsets. A partition that does not answer in time is left out.
    Map<TopicPartition, Instant> writtenAt(Map<TopicPartition, Long> offsets) {
        Map<TopicPartition, Instant> times = new HashMap<>();
        if (offsets.isEmpty()) {
            return times;
        }
        Duration patience =
                settings.timeout().compareTo(PATIENCE) < 0 ? settings.timeout() : PATIENCE;
        long deadline = System.nanoTime() + patience.toNanos();
        try (Consumer<byte[], byte[]> consumer = open()) {
            consumer.assign(offsets.keySet());
            offsets.forEach(consumer::seek);
            Set<TopicPartition> missing = new HashSet<>(offsets.keySet());
            while (!missing.isEmpty() && System.nanoTime() < deadline) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    var partition = new TopicPartition(record.topic(), record.partition());
                    if (missing.remove(partition)) {
                        times.put(partition, Instant.ofEpochMilli(record.timestamp()));
                        consumer.pause(Set.of(partition));
                    }
                }
            }
        }
        return times;
    }

    private Consumer<byte[], byte[]> open() {
        Map<String, Object> reading = new HashMap<>(settings.forReading());
        reading.put("enable.auto.commit", false);
        reading.put("auto.offset.reset", "earliest");
        reading.put("allow.auto.create.topics", false);
        // One message per partition is all we want; the broker sends at least one batch.
        reading.put("max.partition.fetch.bytes", 1_024);
        return new KafkaConsumer<>(
                reading, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }
}
