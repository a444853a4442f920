package io.sluice.listener.kafka;

import io.sluice.listener.Eventually;
import io.sluice.testing.Sluice;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/// A topic of a test's own, and looks at it from outside.
final class Topics implements AutoCloseable {
    final String name = "listener-" + UUID.randomUUID();
    private final String servers;
    private final Admin admin;

    Topics(Sluice sluice, int partitions) throws Exception {
        this(sluice.bootstrap(), partitions);
    }

    Topics(String servers, int partitions) throws Exception {
        this.servers = servers;
        admin = Admin.create(Map.of("bootstrap.servers", servers));
        admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1))).all().get();
    }

    void deleteDeadLetters() throws Exception {
        admin.deleteTopics(List.of(name + "-dead-letters")).all().get();
    }

    void delete() throws Exception {
        admin.deleteTopics(List.of(name)).all().get();
    }

    /// The same name, and offsets from 0 on.
    void deleteAndMakeAnew() throws Exception {
        delete();
        makeAnew();
    }

    void makeAnew() throws Exception {
        Eventually.until(
                "there is room for it",
                () -> {
                    try {
                        admin.createTopics(List.of(new NewTopic(name, 1, (short) 1))).all().get();
                        return true;
                    } catch (ExecutionException e) {
                        return false; // it is still being deleted
                    }
                });
    }

    /// As if a group of one partition had committed nothing.
    void rewind(String group) throws Exception {
        admin.alterConsumerGroupOffsets(
                        group, Map.of(new TopicPartition(name, 0), new OffsetAndMetadata(0)))
                .all()
                .get();
    }

    void createDeadLetters() throws Exception {
        createDeadLetters(Map.of());
    }

    void createDeadLetters(Map<String, String> configs) throws Exception {
        var letters = new NewTopic(name + "-dead-letters", 1, (short) 1).configs(configs);
        admin.createTopics(List.of(letters)).all().get();
    }

    Map<String, Object> client() {
        Map<String, Object> client = new HashMap<>();
        client.put("bootstrap.servers", servers);
        client.put("group.id", "group-of-" + name);
        client.put("session.timeout.ms", 10_000);
        client.put("heartbeat.interval.ms", 500);
        return client;
    }

    KafkaSettings settings() {
        return KafkaSettings.of(client(), name);
    }

    /// Sends `key:value` lines, or `key:value:lane`.
    void send(List<String> lines) throws Exception {
        try (var producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", servers),
                        new StringSerializer(),
                        new StringSerializer())) {
            List<Future<?>> sent = new ArrayList<>();
            for (String line : lines) {
                String[] parts = line.split(":");
                var record = new ProducerRecord<>(name, parts[0], parts[1]);
                if (parts.length > 2) {
                    record.headers().add("lane", parts[2].getBytes(StandardCharsets.UTF_8));
                }
                sent.add(producer.send(record));
            }
            for (Future<?> each : sent) {
                each.get();
            }
        }
    }

    /// The sum of the group's committed offsets.
    long committed() throws Exception {
        return commits().mapToLong(OffsetAndMetadata::offset).sum();
    }

    /// What the group's commits say besides.
    String metadata() throws Exception {
        return commits().map(OffsetAndMetadata::metadata).collect(Collectors.joining());
    }

    private Stream<OffsetAndMetadata> commits() throws Exception {
        return admin
                .listConsumerGroupOffsets("group-of-" + name)
                .partitionsToOffsetAndMetadata()
                .get()
                .values()
                .stream();
    }

    /// Everything in a topic, up to so many records.
    List<ConsumerRecord<byte[], byte[]>> read(String topic, int count) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        try (var consumer =
                new KafkaConsumer<>(
                        Map.<String, Object>of(
                                "bootstrap.servers", servers, "auto.offset.reset", "earliest"),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = new ArrayList<>();
            consumer.partitionsFor(topic)
                    .forEach(info -> partitions.add(new TopicPartition(topic, info.partition())));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            for (int i = 0; i < 100 && records.size() < count; i++) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
            }
        }
        return records;
    }

    @Override
    public void close() {
        admin.close();
    }
}
