package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.broker.NeedsProcess;
import io.sluice.conformance.broker.SluiceProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.RetriableException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The broker is killed again and again under load; afterwards everything that it has acknowledged is there.
@Tag("kill")
@NeedsProcess
@ExtendWith(BrokerExtension.class)
class KillLoopIT {
    private static final int KILLS = Integer.getInteger("sluice.conformance.kills", 4);
    private static final int PARTITIONS = 3;

    private final Random random = new Random(20);

    private final SluiceProcess sluice;
    private final Clients clients;

    KillLoopIT(@TempDir Path folder) {
        sluice = new SluiceProcess(folder).start();
        clients = new Clients(sluice.broker());
    }

    @AfterEach
    void end() {
        sluice.close();
    }

    @Test
    @DisplayName(
            "Q5, Q8, Q25, Q32: acknowledged messages survive kill -9 and clean stops, in order,"
                    + " without gaps and without doubles")
    void acknowledgedMessagesSurviveKills() {
        String topic = clients.createTopic("kill", PARTITIONS);
        try (AcknowledgedLoad load = load(topic, PARTITIONS)) {
            for (int kill = 0; kill < KILLS; kill++) {
                awaitProgress(load, 500 + random.nextInt(3_000));
                if (kill % 3 == 2) {
                    stopAndStart();
                    continue;
                }
                sluice.kill();
                if (kill == 1) {
                    // Once in the middle of starting: recovery has to survive its own interruption.
                    sluice.launch();
                    pause(Duration.ofMillis(200 + random.nextInt(400)));
                    sluice.kill();
                }
                sluice.start();
            }
            awaitProgress(load, 500);
            load.finish();

            assertThat(load.failures()).isEmpty();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                TopicPartition one = new TopicPartition(topic, partition);
                assertThat(load.book().discrepancies(one, clients.readToEnd(one)))
                        .as("%s", one)
                        .isEmpty();
            }
        }
    }

    @Test
    @DisplayName("Q20: committed group offsets survive kill -9")
    void committedOffsetsSurviveKills() {
        String topic = clients.createTopic("commits", 1);
        TopicPartition partition = new TopicPartition(topic, 0);
        try (AcknowledgedLoad load = load(topic, 1);
                Consumer<String, String> consumer =
                        clients.consumer(
                                Map.of(
                                        ConsumerConfig.GROUP_ID_CONFIG,
                                        "survivors",
                                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                                        false,
                                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                                        100))) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            for (int kill = 0; kill < 2; kill++) {
                long lastCommitted = -1;
                awaitProgress(load, 1_000);
                for (int commit = 0; commit < 20; commit++) {
                    Clients.read(consumer, 1);
                    lastCommitted = consumer.position(partition);
                    consumer.commitSync(Map.of(partition, new OffsetAndMetadata(lastCommitted)));
                }
                sluice.kill();
                sluice.start();

                assertThat(committed(consumer, partition)).isEqualTo(lastCommitted);
            }
            load.finish();
        }
    }

    @Test
    @DisplayName("Q8: topics and their settings survive kill -9, and a clean stop ends with 0")
    void topicsSurviveKillsAndACleanStopIsClean() {
        String topic = clients.createTopic("metadata", 2, Map.of("retention.ms", "7777777"));
        sluice.kill();
        sluice.start();
        assertThat(retention(topic)).isEqualTo("7777777");

        stopAndStart();
        assertThat(retention(topic)).isEqualTo("7777777");
    }

    /// A stop in order, while clients go on, leaves nothing to recover: whatever is read after it was known to be durable.
    private void stopAndStart() {
        int exitCode = sluice.stop();
        // 0, or 128 + 15 where the JVM reports the signal that ended it.
        assertThat(exitCode).isIn(0, 143);
        assertThat(sluice.output()).doesNotContain("could not be handed over", "Closing the");
        sluice.start();
        try (Admin admin = clients.admin()) {
            // Opens every partition that there is.
            Set<String> topics = Clients.result(admin.listTopics().names());
            Clients.result(admin.describeTopics(topics).allTopicNames())
                    .forEach(
                            (name, topic) ->
                                    Clients.awaitPartitions(
                                            admin, name, topic.partitions().size()));
        }
        assertThat(sluice.metric("sluice_log_recovered_bytes_total")).isZero();
    }

    private AcknowledgedLoad load(String topic, int partitions) {
        return new AcknowledgedLoad(clients.producer(AcknowledgedLoad.PATIENT), topic, partitions);
    }

    private void awaitProgress(AcknowledgedLoad load, int messages) {
        load.awaitProgress(messages, sluice::output);
    }

    /// A restarted broker may still be loading its groups; the client says so and tries again.
    private static long committed(Consumer<String, String> consumer, TopicPartition partition) {
        long[] offset = {-1};
        Eventually.holds(
                () -> "the group's offsets are not there",
                () -> {
                    try {
                        OffsetAndMetadata found =
                                consumer.committed(Set.of(partition)).get(partition);
                        offset[0] = found == null ? -1 : found.offset();
                        return true;
                    } catch (RetriableException notYet) {
                        return false;
                    }
                });
        return offset[0];
    }

    private String retention(String topic) {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        try (Admin admin = clients.admin()) {
            return Clients.result(admin.describeConfigs(List.of(resource)).values().get(resource))
                    .get("retention.ms")
                    .value();
        }
    }

    private static void pause(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
