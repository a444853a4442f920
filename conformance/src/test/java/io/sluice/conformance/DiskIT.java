package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.chaos.place.LoopDisks;
import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.broker.NeedsProcess;
import io.sluice.conformance.broker.SluiceProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A broker alone on a file system of its own, which loses its power and fills up. Takes root; skipped, with the reason, where loop mounts are not allowed.
@Tag("disk")
@NeedsProcess
@ExtendWith(BrokerExtension.class)
class DiskIT {
    private static final int PARTITIONS = 3;

    @TempDir private Path folder;
    private LoopDisks disks;
    private SluiceProcess sluice;
    private Clients clients;

    @BeforeEach
    void start() throws IOException {
        Path root = folder.toRealPath();
        String obstacle = LoopDisks.obstacle(root);
        assumeTrue(obstacle == null, () -> "skipped: " + obstacle);
        disks = new LoopDisks(root, 1);
        sluice =
                new SluiceProcess(
                                root,
                                disks.folder(1).resolve("data"),
                                Map.of(),
                                // Small enough that a full disk is met in the middle and at a roll.
                                List.of("--topic.segment.bytes=1048576"))
                        .start();
        clients = new Clients(sluice.broker());
    }

    @AfterEach
    void end() {
        if (sluice != null) {
            sluice.close();
        }
        if (disks != null) {
            disks.close();
        }
    }

    @Test
    @DisplayName("Q8, Q25: what was acknowledged has been fsynced: it survives the loss of power")
    void acknowledgedMessagesSurvivePowerLoss() {
        String topic = clients.createTopic("power", PARTITIONS);
        try (AcknowledgedLoad load =
                new AcknowledgedLoad(
                        clients.producer(AcknowledgedLoad.PATIENT), topic, PARTITIONS)) {
            for (int loss = 0; loss < 3; loss++) {
                load.awaitProgress(2_000, sluice::output);
                disks.cutPower(1);
                sluice.kill();
                disks.repair(1);
                sluice.start();
            }
            load.awaitProgress(500, sluice::output);
            load.finish();

            assertThat(load.failures()).isEmpty();
            assertNothingLost(topic, load);
        }
    }

    @Test
    @DisplayName(
            "Q8: a full disk refuses writes with a clear error, serves reads, and recovers when"
                    + " there is room")
    void aFullDiskRefusesWritesServesReadsAndRecovers() throws IOException {
        String topic = clients.createTopic("full", PARTITIONS);
        String other = clients.createTopic("full-too", 1);
        try (AcknowledgedLoad load =
                new AcknowledgedLoad(
                        clients.producer(AcknowledgedLoad.PATIENT), topic, PARTITIONS)) {
            load.awaitProgress(2_000, sluice::output);
            disks.fill(1);
            try (Producer<String, String> impatient =
                    clients.producer(
                            Map.of(
                                    ProducerConfig.RETRIES_CONFIG,
                                    0,
                                    ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                                    false,
                                    ProducerConfig.BATCH_SIZE_CONFIG,
                                    1 << 20))) {
                awaitRefusal(impatient, other);
                assertThatThrownBy(() -> send(impatient, other))
                        .isInstanceOf(ExecutionException.class)
                        .cause()
                        .isInstanceOf(KafkaStorageException.class);
            }
            assertThat(sluice.isAlive()).isTrue();
            assertThat(clients.readToEnd(new TopicPartition(topic, 0))).isNotEmpty();
            assertThat(sluice.output()).containsIgnoringCase("no space left");

            // The broker is not started again: it goes on by itself when there is room.
            Files.delete(disks.folder(1).resolve("ballast"));
            load.awaitProgress(2_000, sluice::output);
            load.finish();

            assertThat(load.failures()).isEmpty();
            sluice.kill();
            sluice.start();
            assertNothingLost(topic, load);
        }
    }

    /// What is still free inside of blocks that a file has already may take some more.
    private static void awaitRefusal(Producer<String, String> producer, String topic) {
        Eventually.holds(
                () -> "the full disk takes more and more",
                Duration.ofMinutes(5),
                () -> {
                    try {
                        send(producer, topic);
                        return false;
                    } catch (ExecutionException refused) {
                        return true;
                    }
                });
    }

    private static void send(Producer<String, String> producer, String topic)
            throws ExecutionException {
        try {
            producer.send(new ProducerRecord<>(topic, 0, null, "x".repeat(200_000)))
                    .get(5, TimeUnit.MINUTES);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        } catch (java.util.concurrent.TimeoutException late) {
            throw new AssertionError("neither taken nor refused", late);
        }
    }

    private void assertNothingLost(String topic, AcknowledgedLoad load) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            TopicPartition one = new TopicPartition(topic, partition);
            assertThat(load.book().discrepancies(one, clients.readToEnd(one)))
                    .as("%s", one)
                    .isEmpty();
        }
    }
}
