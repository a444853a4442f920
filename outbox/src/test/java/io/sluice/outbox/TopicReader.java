package io.sluice.outbox;

import io.sluice.outbox.consuming.DuplicateFilter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;

/// Reads a whole topic as a consumer with a duplicate filter per partition does.
final class TopicReader implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final KafkaConsumer<String, String> consumer;
    private final Map<Integer, DuplicateFilter> filters = new HashMap<>();
    private final List<ConsumerRecord<String, String>> fresh = new ArrayList<>();
    private final Map<Event, String> numbers = new HashMap<>();
    private final Set<String> repeatedNumbers = new HashSet<>();
    private boolean expectsOtherNumbers;
    private int repeated;

    /// Ids alone are not enough: a promoted standby's sequence may give those of lost events to others.
    private record Event(String id, @Nullable String payload) {
        static Event of(ConsumerRecord<String, String> record) {
            return new Event(header(record, "outbox-event-id"), record.value());
        }
    }

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
        expectsOtherNumbers = true;
        return this;
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
                requireNoOtherNumber(record);
                numbers.put(Event.of(record), number(record));
            } else {
                repeated++;
                requireRepetition(record);
                repeatedNumbers.add(number(record));
            }
        }
    }

    /// A consumer would have lost an event that is dropped and did not come before, with this number.
    private void requireRepetition(ConsumerRecord<String, String> record) {
        String before = numbers.get(Event.of(record));
        if (!number(record).equals(before)) {
            throw new AssertionError(
                    "event %s of %s is dropped for its number %s: it was seen with %s"
                            .formatted(
                                    header(record, "outbox-event-id"),
                                    record.key(),
                                    number(record),
                                    before));
        }
    }

    /// A consumer would work on an event twice that comes again with a higher number than before. Only who asks for a replay wants that.
    private void requireNoOtherNumber(ConsumerRecord<String, String> record) {
        String before = numbers.getOrDefault(Event.of(record), number(record));
        boolean isReplay = !header(record, "outbox-replay").isEmpty();
        if (!before.equals(number(record)) && !isReplay && !expectsOtherNumbers) {
            throw new AssertionError(
                    "event %s of %s comes with the number %s: it was seen with %s"
                            .formatted(
                                    header(record, "outbox-event-id"),
                                    record.key(),
                                    number(record),
                                    before));
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

    /// Whether an event with this number was dropped, because it had been read before.
    boolean hasRepeated(String number) {
        return repeatedNumbers.contains(number);
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
