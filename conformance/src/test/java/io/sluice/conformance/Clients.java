package io.sluice.conformance;

import io.sluice.conformance.broker.Broker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/// Ordinary Java clients for a broker, and the few things that every test does with them.
///
/// Immutable.
public record Clients(Broker broker) {
    static final Duration LIMIT = Duration.ofMinutes(10);

    /// A name that no other test and no earlier run has used.
    static String unique(String prefix) {
        return prefix + "-" + UUID.randomUUID().toString().substring(0, 8);
    }

    Admin admin() {
        return Admin.create(Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrap()));
    }

    /// A producer of strings; the settings come on top of the client's defaults.
    Producer<String, String> producer(Map<String, Object> settings) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrap());
        return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
    }

    Producer<String, String> producer() {
        return producer(Map.of());
    }

    /// A consumer of strings that starts at the earliest message; the settings come on top of that.
    Consumer<String, String> consumer(Map<String, Object> settings) {
        Map<String, Object> all = new HashMap<>();
        all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        all.putAll(settings);
        all.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrap());
        return new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer());
    }

    /// The id of the broker that leads the first partition.
    int leaderOf(String topic) {
        try (Admin admin = admin()) {
            return result(admin.describeTopics(List.of(topic)).topicNameValues().get(topic))
                    .partitions()
                    .getFirst()
                    .leader()
                    .id();
        }
    }

    /// Makes a topic with a name of its own.
    String createTopic(String prefix, int partitions) {
        return createTopic(prefix, partitions, Map.of());
    }

    String createTopic(String prefix, int partitions, Map<String, String> settings) {
        String name = unique(prefix);
        try (Admin admin = admin()) {
            NewTopic topic = new NewTopic(name, partitions, (short) 1).configs(settings);
            result(admin.createTopics(List.of(topic)).all());
            awaitPartitions(admin, name, partitions);
        }
        return name;
    }

    /// Returns when every partition answers. Apache Kafka opens partitions a little after it has answered that the topic exists, and a batch that is
    /// refused meanwhile while its successor is not leaves an idempotent producer stuck; Sluice has them open when it answers.
    static void awaitPartitions(Admin admin, String topic, int partitions) {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            latest.put(new TopicPartition(topic, partition), OffsetSpec.latest());
        }
        Eventually.holds(() -> topic + " is not known", () -> isAnswered(admin, latest));
    }

    private static boolean isAnswered(Admin admin, Map<TopicPartition, OffsetSpec> latest) {
        try {
            result(admin.listOffsets(latest).all());
            return true;
        } catch (UnknownTopicOrPartitionException notYet) {
            return false;
        }
    }

    /// Reads all partitions of a topic from the beginning until this many messages have come.
    List<ConsumerRecord<String, String>> readAll(String topic, int partitions, int count) {
        try (Consumer<String, String> consumer = consumer(Map.of())) {
            consumer.assign(
                    IntStream.range(0, partitions)
                            .mapToObj(partition -> new TopicPartition(topic, partition))
                            .toList());
            return read(consumer, count);
        }
    }

    /// Reads one partition from the beginning to what is its end now.
    List<ConsumerRecord<String, String>> readToEnd(TopicPartition partition) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (Consumer<String, String> consumer = consumer(Map.of())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, -1L);
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofMillis(200)).forEach(records::add);
                if (System.nanoTime() > deadline) {
                    throw new AssertionError(
                            "At %d of %d in %s after %s"
                                    .formatted(
                                            consumer.position(partition), end, partition, LIMIT));
                }
            }
        }
        return records;
    }

    /// Polls until at least this many messages have come.
    static List<ConsumerRecord<String, String>> read(Consumer<String, String> consumer, int count) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (records.size() < count) {
            consumer.poll(Duration.ofMillis(200)).forEach(records::add);
            if (System.nanoTime() > deadline) {
                throw new AssertionError(
                        "Only %d of %d messages within %s".formatted(records.size(), count, LIMIT));
            }
        }
        return records;
    }

    /// Sends records and waits until every one of them is acknowledged.
    static List<RecordMetadata> sendAll(
            Producer<String, String> producer,
            int count,
            IntFunction<ProducerRecord<String, String>> record) {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sent.add(producer.send(record.apply(i)));
        }
        producer.flush();
        List<RecordMetadata> acknowledged = new ArrayList<>();
        for (Future<RecordMetadata> future : sent) {
            try {
                acknowledged.add(future.get());
            } catch (ExecutionException failure) {
                throw new AssertionError("Send " + acknowledged.size() + " failed", failure);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new AssertionError(interrupted);
            }
        }
        return acknowledged;
    }

    /// The value of an admin call; its failure comes as the Kafka exception itself. A call that was not made at all may be null.
    static <T> T result(@Nullable KafkaFuture<T> future) {
        if (future == null) {
            throw new AssertionError("The client has no result for what was asked.");
        }
        try {
            return future.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError(failure);
        } catch (TimeoutException late) {
            throw new AssertionError("No answer within " + LIMIT, late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }
}
