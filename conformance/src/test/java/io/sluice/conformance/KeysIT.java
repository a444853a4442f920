package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.conformance.broker.Broker;
import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.child.ChildProgram;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// A key has one partition, whoever sends it: messages of a key stay in order also when producers in several languages share a topic.
@Tag("keys")
@ExtendWith(BrokerExtension.class)
class KeysIT {
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final int PARTITIONS = 7;
    private static final List<String> KEYS = keys();

    private final Clients clients;

    KeysIT(Broker broker) {
        clients = new Clients(broker);
    }

    /// Of every length from one byte on, so that every rest of a hash's blocks of four bytes is met.
    private static List<String> keys() {
        List<String> keys = new ArrayList<>(List.of("주문", "주문-1", "ключ", "a b", "0", "-1"));
        for (int i = 0; i < 150; i++) {
            keys.add("key-" + "x".repeat(i % 13) + i);
        }
        return keys;
    }

    @Test
    @DisplayName("Q11: Java and librdkafka (murmur2) send a key to the same partition")
    void javaAndLibrdkafkaAgree() {
        assumeTrue(
                ChildProgram.isInstalled("kcat"),
                "kcat is not installed (Debian: apt-get install kcat)");
        String topic = clients.createTopic("keys-librdkafka", PARTITIONS);
        StringBuilder lines = new StringBuilder();
        KEYS.forEach(key -> lines.append(key).append(":librdkafka\n"));
        List<String> command =
                List.of(
                        "kcat",
                        "-b",
                        clients.broker().bootstrap(),
                        "-P",
                        "-t",
                        topic,
                        "-K",
                        ":",
                        "-X",
                        "topic.partitioner=murmur2_random");
        ChildProgram.of(command).withInput(lines.toString()).run(LIMIT).requireSuccess();
        assertAgreement(topic, "librdkafka");
    }

    @Test
    @DisplayName("Q11: Java and KafkaJS send a key to the same partition")
    void javaAndKafkaJsAgree() throws IOException {
        String topic = clients.createTopic("keys-kafkajs", PARTITIONS);
        ChildProgram.of(List.of("node", "keys.js", clients.broker().bootstrap(), topic))
                .in(KafkaJsIT.installed())
                .withInput(String.join("\n", KEYS))
                .run(LIMIT)
                .requireSuccess();
        assertAgreement(topic, "kafkajs");
    }

    private void assertAgreement(String topic, String other) {
        try (Producer<String, String> producer = clients.producer()) {
            Clients.sendAll(
                    producer, KEYS.size(), i -> new ProducerRecord<>(topic, KEYS.get(i), "java"));
        }
        Map<String, Integer> java = new TreeMap<>();
        Map<String, Integer> others = new TreeMap<>();
        for (ConsumerRecord<String, String> record :
                clients.readAll(topic, PARTITIONS, 2 * KEYS.size())) {
            (record.value().equals("java") ? java : others).put(record.key(), record.partition());
        }
        assertThat(others).as(other).isEqualTo(java).hasSize(KEYS.size());
        assertThat(java.values()).as("spread").contains(0, 1, 2, 3, 4, 5, 6);
    }
}
