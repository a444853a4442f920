package io.sluice.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a running broker does by itself, seen from outside.
class UpkeepTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir Path data;

    @Test
    @DisplayName("Q8: what is too old goes, though nobody touches its topic any more")
    void anIdleTopicExpires() throws Exception {
        try (Broker broker = start();
                Admin admin = admin(broker)) {
            create(admin, "short", Map.of("retention.ms", "500"));
            send(broker, "short", "old");
            awaitStart(admin, "short", 1);
        }
    }

    @Test
    @DisplayName("Q8: and though it was not touched since the start, either")
    void anIdleTopicExpiresAfterARestart() throws Exception {
        try (Broker broker = start();
                Admin admin = admin(broker)) {
            create(admin, "short", Map.of());
            send(broker, "short", "old");
            admin.incrementalAlterConfigs(expireAtOnce("short")).all().get();
        }
        try (Broker broker = start()) {
            awaitNoBytes(data.resolve("log/short-0"));
            try (Admin admin = admin(broker)) {
                awaitStart(admin, "short", 1);
            }
        }
    }

    @Test
    void aTopicWithTheLongestNameCanBeDeletedAndMadeAgain() throws Exception {
        String longest = "n".repeat(249);
        try (Broker broker = start();
                Admin admin = admin(broker)) {
            for (int round = 0; round < 2; round++) {
                create(admin, longest, Map.of());
                send(broker, longest, "v");
                admin.deleteTopics(List.of(longest)).all().get();
                assertThat(data.resolve("log").resolve(longest + "-0")).doesNotExist();
            }
        }
    }

    @Test
    @DisplayName("Q25: acks=all is refused while there are fewer replicas than min.insync.replicas")
    void tooFewReplicas() throws Exception {
        try (Broker broker = start(Map.of("topic.min.insync.replicas", "2"));
                Admin admin = admin(broker)) {
            create(admin, "careful", Map.of());
            assertThatThrownBy(() -> send(broker, "careful", "v"))
                    .hasCauseInstanceOf(NotEnoughReplicasException.class)
                    .hasMessageContainingAll(
                            "careful-0 cannot take acks=all",
                            "min.insync.replicas of its topic is 2, and it has 1 replica in all",
                            "Lower the setting, or give the topic more replicas.");
        }
    }

    @Test
    @DisplayName(
            "Q25: who sets min.insync.replicas above the number of replicas is told what is possible")
    void moreConfirmationsThanReplicas() throws Exception {
        try (Broker broker = start();
                Admin admin = admin(broker)) {
            Map<String, String> two = Map.of("min.insync.replicas", "2");
            assertTooDemanding(() -> create(admin, "demanding", two));
            create(admin, "modest", Map.of());
            ConfigResource modest = new ConfigResource(ConfigResource.Type.TOPIC, "modest");
            AlterConfigOp set =
                    new AlterConfigOp(
                            new ConfigEntry("min.insync.replicas", "2"), AlterConfigOp.OpType.SET);
            assertTooDemanding(
                    () -> admin.incrementalAlterConfigs(Map.of(modest, List.of(set))).all().get());
            send(broker, "modest", "v");
        }
    }

    private static void assertTooDemanding(ThrowingCallable command) {
        assertThatThrownBy(command)
                .hasCauseInstanceOf(InvalidConfigurationException.class)
                .hasMessageContainingAll(
                        "min.insync.replicas=2 is more than the replication factor 1",
                        "give the topic more replicas first");
    }

    private Broker start() {
        return start(Map.of());
    }

    private Broker start(Map<String, String> more) {
        Map<String, String> settings =
                new HashMap<>(
                        Map.of(
                                "data", data.toString(),
                                "kafka.listen", "127.0.0.1:0",
                                "admin.listen", "127.0.0.1:0",
                                "log.housekeeping-interval", "100ms"));
        settings.putAll(more);
        return Broker.start(settings);
    }

    private static Admin admin(Broker broker) {
        return Admin.create(Map.of("bootstrap.servers", broker.bootstrap()));
    }

    private static void create(Admin admin, String topic, Map<String, String> settings)
            throws Exception {
        admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1).configs(settings)))
                .all()
                .get();
    }

    private static Map<ConfigResource, Collection<AlterConfigOp>> expireAtOnce(String topic) {
        return Map.of(
                new ConfigResource(ConfigResource.Type.TOPIC, topic),
                List.of(
                        new AlterConfigOp(
                                new ConfigEntry("retention.ms", "1"), AlterConfigOp.OpType.SET)));
    }

    private static void send(Broker broker, String topic, String value) throws Exception {
        Map<String, Object> settings =
                Map.of(
                        "bootstrap.servers",
                        broker.bootstrap(),
                        "retries",
                        0,
                        "enable.idempotence",
                        false,
                        "acks",
                        "all");
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, value)).get();
        }
    }

    private static void awaitStart(Admin admin, String topic, long offset) throws Exception {
        TopicPartition partition = new TopicPartition(topic, 0);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        long start;
        do {
            Thread.sleep(50);
            start =
                    admin.listOffsets(Map.of(partition, OffsetSpec.earliest()))
                            .partitionResult(partition)
                            .get()
                            .offset();
        } while (start < offset && System.nanoTime() < deadline);
        assertThat(start).isEqualTo(offset);
    }

    private static void awaitNoBytes(Path folder) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (bytesIn(folder) > 0 && System.nanoTime() < deadline) {
            Thread.sleep(50);
        }
        assertThat(bytesIn(folder)).isZero();
    }

    private static long bytesIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }
}
