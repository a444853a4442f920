package io.sluice.conformance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;

/// The only member of a group, which reads a topic from its beginning and commits after every poll. It keeps what it reads in the order in which it comes; what comes twice is there twice.
///
/// Owned by the test; its thread alone touches the client.
final class GroupReader implements AutoCloseable {
    private final List<Exception> failures = new CopyOnWriteArrayList<>();
    private final Map<Integer, List<String>> values = new TreeMap<>();
    private final AtomicLong count = new AtomicLong();
    private final Thread thread;
    private volatile boolean stopping;

    /// @param more settings of the consumer on top of the client's own
    GroupReader(String bootstrap, String topic, Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, topic);
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        thread = Thread.ofPlatform().name("reader").start(() -> read(settings, topic));
    }

    private void read(Map<String, Object> settings, String topic) {
        try (Consumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            while (!stopping) {
                consumer.poll(Duration.ofMillis(200)).forEach(this::take);
                consumer.commitSync();
            }
        } catch (RuntimeException failure) {
            failures.add(failure);
        }
    }

    private void take(ConsumerRecord<String, String> record) {
        synchronized (values) {
            values.computeIfAbsent(record.partition(), _ -> new ArrayList<>()).add(record.value());
        }
        count.incrementAndGet();
    }

    /// How many have come so far.
    long count() {
        return count.get();
    }

    List<Exception> failures() {
        return failures;
    }

    /// What has come so far, by partition.
    Map<Integer, List<String>> values() {
        synchronized (values) {
            Map<Integer, List<String>> copy = new TreeMap<>();
            values.forEach((partition, read) -> copy.put(partition, List.copyOf(read)));
            return copy;
        }
    }

    @Override
    public void close() {
        stopping = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
