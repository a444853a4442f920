package io.sluice.outbox;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/// Reads a whole topic as a consumer with a duplicate filter per partition does.
final class TopicReader implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final KafkaConsumer<String, String> consumer;
    private final Received received = new Received();

    TopicReader(Broker broker, String topic) {
        this(broker.client(), topic);
    }

    /// Sees what transactions have committed.
    static TopicReader ofCommitted(Broker broker, String topic) {
        Map<String, Object> settings = new HashMap<>(broker.client());
        settings.put("isolation.level", "read_committed");
        return new TopicReader(settings, topic);
    }

    private TopicReader(Map<String, Object> settings, String topic) {
        consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        List<TopicPartition> partitions = partitions(consumer, topic);
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /// A broker that has just made the topic, or is asked before its metadata has arrived, may answer with none, which is nothing to read from.
    private static List<TopicPartition> partitions(KafkaConsumer<?, ?> consumer, String topic) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            List<PartitionInfo> found = consumer.partitionsFor(topic);
            if (!found.isEmpty()) {
                return found.stream()
                        .map(info -> new TopicPartition(topic, info.partition()))
                        .toList();
            }
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("topic %s has no partitions".formatted(topic));
            }
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    /// For tests in which numbers jump, and what was published shortly before may come again with other ones.
    TopicReader expectingOtherNumbers() {
        received.expectOtherNumbers();
        return this;
    }

    /// Reads until there are `count` events.
    TopicReader await(int count) {
        return awaitUntil(() -> received.count() >= count, count + " events");
    }

    TopicReader awaitUntil(BooleanSupplier enough, String what) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!enough.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(
                        "waited for %s, got %d: %s"
                                .formatted(what, received.count(), abbreviated(byKey())));
            }
            poll(Duration.ofMillis(50));
        }
        return this;
    }

    private static String abbreviated(Map<String, List<String>> values) {
        String all = values.toString();
        return all.length() < 2_000 ? all : all.substring(0, 2_000) + " ...";
    }

    /// What else arrives within this time.
    TopicReader linger(Duration duration) {
        long deadline = System.nanoTime() + duration.toNanos();
        while (System.nanoTime() - deadline < 0) {
            poll(Duration.ofMillis(50));
        }
        return this;
    }

    private void poll(Duration wait) {
        for (ConsumerRecord<String, String> record : consumer.poll(wait)) {
            received.add(record);
        }
    }

    /// Whether an event with this number was read.
    boolean hasSeen(String number) {
        return received.hasSeen(number);
    }

    /// Whether an event with this number was dropped, because it had been read before.
    boolean hasRepeated(String number) {
        return received.hasRepeated(number);
    }

    Received received() {
        return received;
    }

    /// Without what the filter dropped, in the order of arrival per partition.
    List<ConsumerRecord<String, String>> records() {
        return received.records();
    }

    /// What the filter dropped.
    int repeated() {
        return received.repeated();
    }

    Map<String, List<String>> byKey() {
        return received.byKey();
    }

    static String header(ConsumerRecord<?, ?> record, String name) {
        return Received.header(record.headers(), name);
    }

    @Override
    public void close() {
        consumer.close();
    }
}
