package io.sluice.examples.labelling.queue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import tools.jackson.databind.json.JsonMapper;

/// A topic of Sluice, or of any other Kafka-compatible broker.
///
/// Thread-safe.
public final class KafkaQueue implements DocumentQueue, AutoCloseable {
    private static final int PARTITIONS = 4;

    private final String topic;
    private final String group;
    private final JsonMapper json;
    private final Admin admin;
    private final KafkaProducer<String, byte[]> producer;

    /// @param group whose progress says what still waits
    public KafkaQueue(String servers, String topic, String group, JsonMapper json) {
        Map<String, Object> client = Map.of("bootstrap.servers", servers);
        this.topic = topic;
        this.group = group;
        this.json = json;
        this.admin = Admin.create(client);
        this.producer =
                new KafkaProducer<>(client, new StringSerializer(), new ByteArraySerializer());
    }

    /// Makes the topic, if there is none.
    public void create() throws InterruptedException {
        try {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1))).all().get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw new IllegalStateException(
                        "Topic " + topic + " could not be made: " + e.getCause(), e);
            }
        }
    }

    @Override
    public void send(DocumentMessage message) throws Exception {
        var record =
                new ProducerRecord<>(topic, message.document(), json.writeValueAsBytes(message));
        record.headers().add("type", message.type().getBytes(StandardCharsets.UTF_8));
        producer.send(record).get();
    }

    @Override
    public long waiting() throws Exception {
        List<TopicPartition> partitions = new ArrayList<>();
        admin.describeTopics(List.of(topic))
                .allTopicNames()
                .get()
                .values()
                .forEach(
                        description ->
                                description
                                        .partitions()
                                        .forEach(
                                                partition ->
                                                        partitions.add(
                                                                new TopicPartition(
                                                                        topic,
                                                                        partition.partition()))));
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        partitions.forEach(partition -> latest.put(partition, OffsetSpec.latest()));
        Map<TopicPartition, ListOffsetsResultInfo> ends = admin.listOffsets(latest).all().get();
        Map<TopicPartition, OffsetAndMetadata> done =
                admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
        long waiting = 0;
        for (TopicPartition partition : partitions) {
            ListOffsetsResultInfo end = ends.get(partition);
            OffsetAndMetadata committed = done.get(partition);
            waiting +=
                    end == null ? 0 : end.offset() - (committed == null ? 0 : committed.offset());
        }
        return waiting;
    }

    @Override
    public String describe() {
        return "topic " + topic;
    }

    @Override
    public void close() {
        producer.close();
        admin.close();
    }
}
