package io.sluice.outbox;

import io.sluice.outbox.consuming.DuplicateFilter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.StringDeserializer;

/// Reads a whole topic as a consumer with a duplicate filter per partition does.
final class TopicReader implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final KafkaConsumer<String, String> consumer;
    private final Map<Integer, DuplicateFilter> filters = new HashMap<>();
    private final List<ConsumerRecord<String, String>> fresh = new ArrayList<>();
    private final Map<String, String> numbers = new HashMap<>(); // By the event's id.
    private int repeated;

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

    /// Reads until there are `count` events.
    TopicReader await(int count) {
        return awaitUntil(() -> fresh.size() >= count, count + " events");
    }

    TopicReader awaitUntil(BooleanSupplier enough, String what) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!enough.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(
                        "waited for %s, got %d: %s"
                                .formatted(what, fresh.size(), abbreviated(byKey())));
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
            if (filters.computeIfAbsent(record.partition(), _ -> new DuplicateFilter())
                    .isNew(record)) {
                fresh.add(record);
                numbers.put(header(record, "outbox-event-id"), number(record));
            } else {
                repeated++;
                requireRepetition(record);
            }
        }
    }

    /// A consumer would have lost an event that is dropped and did not come before, with this number.
    private void requireRepetition(ConsumerRecord<String, String> record) {
        String id = header(record, "outbox-event-id");
        if (!number(record).equals(numbers.get(id))) {
            throw new AssertionError(
                    "event %s of %s is dropped for its number %s: it was seen with %s"
                            .formatted(id, record.key(), number(record), numbers.get(id)));
        }
    }

    private static String number(ConsumerRecord<?, ?> record) {
        return number(record.headers());
    }

    static String number(Headers headers) {
        return header(headers, "outbox-lane") + "/" + header(headers, "outbox-sequence");
    }

    /// Whether an event with this number was read.
    boolean hasSeen(String number) {
        return numbers.containsValue(number);
    }

    /// Without what the filter dropped, in the order of arrival per partition.
    List<ConsumerRecord<String, String>> records() {
        return List.copyOf(fresh);
    }

    /// What the filter dropped.
    int repeated() {
        return repeated;
    }

    Map<String, List<String>> byKey() {
        Map<String, List<String>> values = new LinkedHashMap<>();
        for (ConsumerRecord<String, String> record : fresh) {
            values.computeIfAbsent(record.key(), _ -> new ArrayList<>()).add(record.value());
        }
        return values;
    }

    static String header(ConsumerRecord<?, ?> record, String name) {
        return header(record.headers(), name);
    }

    private static String header(Headers headers, String name) {
        var header = headers.lastHeader(name);
        return header == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        consumer.close();
    }
}
