package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.broker.NeedsProcess;
import io.sluice.conformance.broker.SluiceCluster;
import io.sluice.conformance.broker.SluiceProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// A single node that has outgrown itself: stopped, and started on the same data directory as one of three brokers, it brings its topics, their settings, records and the offsets of groups into the cluster, which can then do without it.
///
/// Shows Q8, Q20 and Q26 with processes.
@Tag("kill")
@NeedsProcess
@ExtendWith(BrokerExtension.class)
class OutgrownNodeIT {
    private static final int MESSAGES = 1_000;
    private static final int COMMITTED = 400;
    private static final String TOPIC = "orders";
    private static final String GROUP = "billing";
    private static final String RETENTION = "123456789";
    private static final TopicPartition ONLY = new TopicPartition(TOPIC, 0);

    private final Path folder;
    private final Path installed;

    OutgrownNodeIT(@TempDir Path folder, @TempDir Path installed) {
        this.folder = folder;
        this.installed = installed;
    }

    @Test
    @DisplayName(
            "Q8, Q20, Q26: a single node becomes one of three brokers; its records and offsets are there, its group goes on, and they outlive it when they have more copies")
    void aSingleNodeBecomesACluster() throws IOException {
        fillASingleNode();
        try (SluiceCluster cluster = new SluiceCluster(folder, 3).start()) {
            Console sluice = Console.at(installed, cluster.bootstrap(), cluster::output);
            sluice.awaitHealthy(3);
            JsonNode described = sluice.json("topic", "describe", TOPIC);
            assertThat(described.path("partitions").path(0).path("replicas").toString())
                    .isEqualTo("[1]");
            assertThat(described.path("configs").toString()).contains("retention.ms", RETENTION);

            Clients clients = new Clients(cluster.broker(2).broker());
            assertThat(values(clients.readToEnd(ONLY))).isEqualTo(numbers(0, MESSAGES));
            send(clients, MESSAGES, MESSAGES + 1);
            theGroupGoesOn(clients, COMMITTED, MESSAGES + 1);

            sluice.done("topic", "alter", TOPIC, "--replication-factor", "3");
            awaitThreeCopies(sluice, TOPIC);
            // By itself: offsets are to outlive a broker as soon as there are others.
            awaitThreeCopies(sluice, "__consumer_offsets");
            sluice.awaitHealthy(3);
            cluster.broker(1).kill();
            sluice.awaitHealth(6, now -> now.path("awayBrokers").toString().equals("[1]"));
            assertThat(values(clients.readToEnd(ONLY))).isEqualTo(numbers(0, MESSAGES + 1));
            send(clients, MESSAGES + 1, MESSAGES + 2);
            theGroupGoesOn(clients, MESSAGES + 1, MESSAGES + 2);
        }
    }

    /// In the folder that the cluster's first broker will have, and without a word of a cluster.
    private void fillASingleNode() throws IOException {
        Path own = Files.createDirectories(folder.resolve("broker-1"));
        try (SluiceProcess node = new SluiceProcess(own).start()) {
            Clients clients = new Clients(node.broker());
            try (Admin admin = clients.admin()) {
                Clients.result(
                        admin.createTopics(
                                        List.of(
                                                new NewTopic(TOPIC, 1, (short) 1)
                                                        .configs(
                                                                Map.of("retention.ms", RETENTION))))
                                .all());
            }
            send(clients, 0, MESSAGES);
            try (Consumer<String, String> consumer = clients.consumer(group())) {
                consumer.subscribe(List.of(TOPIC));
                assertThat(Clients.read(consumer, 1).getFirst().value()).isEqualTo("0");
                consumer.commitSync(Map.of(ONLY, new OffsetAndMetadata(COMMITTED)));
            }
            assertThat(node.stop()).isIn(0, 143);
        }
    }

    private static Map<String, Object> group() {
        return Map.of(
                ConsumerConfig.GROUP_ID_CONFIG,
                GROUP,
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false);
    }

    private static void send(Clients clients, int from, int to) {
        try (Producer<String, String> producer = clients.producer()) {
            Clients.sendAll(
                    producer,
                    to - from,
                    i -> new ProducerRecord<>(TOPIC, 0, null, Integer.toString(from + i)));
        }
    }

    /// Where it has stopped, and to the end, which it commits.
    private static void theGroupGoesOn(Clients clients, int from, int to) {
        try (Admin admin = clients.admin();
                Consumer<String, String> consumer = clients.consumer(group())) {
            assertThat(committed(admin)).isEqualTo(from);
            consumer.subscribe(List.of(TOPIC));
            assertThat(values(Clients.read(consumer, to - from))).isEqualTo(numbers(from, to));
            consumer.commitSync();
            assertThat(committed(admin)).isEqualTo(to);
        }
    }

    private static long committed(Admin admin) {
        return Clients.result(admin.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata())
                .getOrDefault(ONLY, new OffsetAndMetadata(0))
                .offset();
    }

    private static void awaitThreeCopies(Console sluice, String topic) {
        sluice.awaitJson(
                described ->
                        StreamSupport.stream(described.path("partitions").spliterator(), false)
                                .allMatch(partition -> partition.path("inSync").size() == 3),
                "topic",
                "describe",
                topic);
    }

    private static List<String> values(List<ConsumerRecord<String, String>> records) {
        return records.stream().map(ConsumerRecord::value).toList();
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).toList();
    }
}
