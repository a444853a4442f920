package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.broker.NeedsProcess;
import io.sluice.conformance.broker.SluiceCluster;
import io.sluice.conformance.broker.SluiceProcess;
import io.sluice.testing.SteadyPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Real processes that were set up wrongly, beside a cluster that works: each is refused with a sentence, or taken in as what it is; the cluster goes on, and nothing that was acknowledged is lost.
@Tag("kill")
@NeedsProcess
@ExtendWith(BrokerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WrongSetupsIT {
    private static final int PARTITIONS = 3;

    /// What deploy/sluice.service does not start again.
    private static final int REFUSED = 78;

    private final Path folder;
    private final SluiceCluster cluster;

    /// One cluster for all: it goes on, whatever is set up wrongly beside it.
    WrongSetupsIT(@TempDir Path folder) {
        this.folder = folder;
        cluster = new SluiceCluster(folder, 3).start();
    }

    @AfterAll
    void end() {
        cluster.close();
    }

    @Test
    @DisplayName(
            "A second broker 1, a broker with another cluster's data and one whose ensemble does not answer: refused by name")
    void strangersAreRefused() throws IOException {
        ReplicatedTopic topic = ReplicatedTopic.create(cluster, "strangers", PARTITIONS);
        try (AcknowledgedLoad load = topic.load(AcknowledgedLoad.PATIENT);
                SluiceProcess twin = stranger("twin", cluster.zookeeper());
                SluiceProcess lonely =
                        stranger("lonely", "127.0.0.1:" + SteadyPorts.next() + "/sluice")) {
            load.awaitProgress(1_000, cluster::output);
            twin.launch();
            lonely.launch();
            assertThat(twin.awaitOwnEnd()).isEqualTo(REFUSED);
            assertThat(twin.output())
                    .contains(
                            "Another broker with id 1 runs at "
                                    + cluster.broker(1).broker().bootstrap(),
                            "Give this one its own node.id, or stop the other.");
            assertThat(lonely.awaitOwnEnd()).as("it may come").isEqualTo(1);
            assertThat(lonely.output())
                    .contains(
                            "No ZooKeeper server answers at 127.0.0.1:",
                            "Check that most servers of the ensemble run");
            try (SluiceProcess foreign = withDataOfAnotherCluster()) {
                foreign.launch();
                assertThat(foreign.awaitOwnEnd()).isEqualTo(REFUSED);
                assertThat(foreign.output())
                        .contains(
                                "The data directory of broker 1 belongs to cluster",
                                "Name the store of its own cluster");
            }
            load.awaitProgress(1_000, cluster::output);
            load.finish();
            topic.assertNothingLost(load);
        }
    }

    private SluiceProcess stranger(String name, String zookeeper) throws IOException {
        return new SluiceProcess(
                Files.createDirectories(folder.resolve(name)),
                List.of(
                        "--node.id=1",
                        "--cluster.zookeeper=" + zookeeper,
                        "--cluster.zookeeper.start-timeout=20s"));
    }

    private SluiceProcess withDataOfAnotherCluster() throws IOException {
        Path elsewhere = folder.resolve("elsewhere");
        try (SluiceCluster other = new SluiceCluster(elsewhere, 1).start()) {
            assertThat(other.broker(1).stop()).isIn(0, 143);
        }
        return stranger(
                folder.relativize(elsewhere.resolve("broker-1")).toString(), cluster.zookeeper());
    }

    @Test
    @DisplayName(
            "Q26: a broker comes back under its id with an empty data directory; it is made whole by the others, and leads nothing before")
    void aWipedBrokerIsMadeWhole() throws IOException {
        ReplicatedTopic topic = ReplicatedTopic.create(cluster, "wiped", PARTITIONS);
        try (AcknowledgedLoad load = topic.load(AcknowledgedLoad.PATIENT)) {
            for (int id = 1; id <= 2; id++) {
                load.awaitProgress(2_000, cluster::output);
                cluster.broker(id).kill();
                delete(cluster.broker(id).data());
                cluster.broker(id).start();
                topic.awaitInSync();
            }
            load.awaitProgress(1_000, cluster::output);
            load.finish();
            topic.assertNothingLost(load);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    @Test
    @DisplayName(
            "min.insync.replicas above the number of replicas: refused; with fewer replicas later, nothing is promised, and both are told what to do")
    void moreConfirmationsThanReplicas() throws Exception {
        String topic = Clients.unique("demanding");
        Clients clients = new Clients(cluster.broker(1).broker());
        Map<String, Object> brief =
                Map.of(
                        ProducerConfig.RETRIES_CONFIG,
                        0,
                        ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                        false);
        try (Admin admin = clients.admin();
                Producer<String, String> producer = clients.producer(brief)) {
            Eventually.holds(
                    cluster::output,
                    () -> Clients.result(admin.describeCluster().nodes()).size() == 3);
            assertThatThrownBy(() -> admin.createTopics(List.of(demanding(topic, 4))).all().get())
                    .hasCauseInstanceOf(InvalidConfigurationException.class)
                    .hasMessageContainingAll(
                            "min.insync.replicas=4 is more than the replication factor 3",
                            "Choose 1 to 3");

            Clients.result(admin.createTopics(List.of(demanding(topic, 2))).all());
            Clients.awaitPartitions(admin, topic, 1);
            keepOneReplica(admin, topic);
            assertThatThrownBy(() -> producer.send(new ProducerRecord<>(topic, "early")).get())
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(NotEnoughReplicasException.class)
                    .hasMessageContainingAll(
                            "min.insync.replicas of its topic is 2, and it has 1 replica in all",
                            "Lower the setting, or give the topic more replicas");
            assertThat(cluster.output())
                    .contains(
                            "wants min.insync.replicas=2 and has 1 replica(s)",
                            "Lower the setting, or add replicas");

            Clients.result(
                    admin.incrementalAlterConfigs(
                                    Map.of(
                                            new ConfigResource(ConfigResource.Type.TOPIC, topic),
                                            List.of(
                                                    new AlterConfigOp(
                                                            new ConfigEntry(
                                                                    "min.insync.replicas", "1"),
                                                            AlterConfigOp.OpType.SET))))
                            .all());
            Eventually.holds(cluster::output, () -> isTaken(producer, topic));
        }
    }

    private void keepOneReplica(Admin admin, String topic) {
        Clients.result(
                admin.alterPartitionReassignments(
                                Map.of(
                                        new TopicPartition(topic, 0),
                                        Optional.of(new NewPartitionReassignment(List.of(1)))))
                        .all());
        Eventually.holds(
                cluster::output,
                () ->
                        Clients.result(
                                                admin.describeTopics(List.of(topic))
                                                        .topicNameValues()
                                                        .get(topic))
                                        .partitions()
                                        .getFirst()
                                        .replicas()
                                        .size()
                                == 1);
    }

    private static NewTopic demanding(String topic, int confirmations) {
        return new NewTopic(topic, 1, (short) 3)
                .configs(Map.of("min.insync.replicas", String.valueOf(confirmations)));
    }

    /// As the first of the topic: what was refused is not in it.
    private static boolean isTaken(Producer<String, String> producer, String topic) {
        try {
            return producer.send(new ProducerRecord<>(topic, "late")).get().offset() == 0;
        } catch (ExecutionException notYet) {
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }
}
