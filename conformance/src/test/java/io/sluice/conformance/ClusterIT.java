package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.broker.NeedsProcess;
import io.sluice.conformance.broker.SluiceCluster;
import io.sluice.conformance.broker.SluiceProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Three real brokers, real clients: leaders are killed, everything is killed, brokers stop in order; nothing that was acknowledged is lost.
/// Shows Q26: a broker dies and leaders move.
@Tag("kill")
@NeedsProcess
@ExtendWith(BrokerExtension.class)
class ClusterIT {
    private static final int KILLS = Integer.getInteger("sluice.conformance.kills", 3);
    private static final int PARTITIONS = 3;
    private static final short REPLICAS = 3;

    private final SluiceCluster cluster;
    private final Clients clients;

    ClusterIT(@TempDir Path folder) {
        cluster = new SluiceCluster(folder, 3).start();
        clients = new Clients(cluster.broker(1).broker());
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    @Test
    @DisplayName(
            "Q8, Q20, Q22: the leader is killed again and again under load; nothing acknowledged is lost, and the producer hardly notices")
    void aKilledLeaderIsReplacedAndNothingIsLost() {
        String topic = createTopic("failover");
        try (AcknowledgedLoad load = load(topic)) {
            for (int kill = 0; kill < KILLS; kill++) {
                load.awaitProgress(2_000, cluster::output);
                int leader = leaderOf(topic, kill % PARTITIONS);
                load.gaps().begin();
                cluster.broker(leader).kill();
                load.awaitProgress(2_000, cluster::output);
                report("kill -9 of leader " + leader, load);
                cluster.broker(leader).start();
                awaitInSync(topic, REPLICAS);
            }
            load.finish();
            assertNothingLost(topic, load);
        }
    }

    @Test
    @DisplayName(
            "Q8: all brokers are killed at once, and started again; nothing acknowledged is lost")
    void everythingKilledAtOnceLosesNothing() {
        String topic = createTopic("blackout");
        try (AcknowledgedLoad load = load(topic)) {
            load.awaitProgress(3_000, cluster::output);
            load.gaps().begin();
            cluster.brokers().forEach(SluiceProcess::kill);
            cluster.start();
            load.awaitProgress(3_000, cluster::output);
            report("kill -9 of all, and their restart", load);
            load.finish();
            assertNothingLost(topic, load);
        }
    }

    @Test
    @DisplayName("Q21: brokers stop in order and come back, one after the other; no send fails")
    void aRollingRestartFailsNoSend() {
        String topic = createTopic("rolling");
        try (AcknowledgedLoad load = load(topic)) {
            for (int id = 1; id <= 3; id++) {
                load.awaitProgress(2_000, cluster::output);
                load.gaps().begin();
                cluster.broker(id).stop();
                load.awaitProgress(1_000, cluster::output);
                report("stop of broker " + id, load);
                cluster.broker(id).start();
                awaitInSync(topic, REPLICAS);
            }
            load.finish();
            assertNothingLost(topic, load);
        }
    }

    @Test
    @DisplayName(
            "Q8, Q20: a leader whose disk fails hands over and stops, with a sentence; nothing acknowledged is lost")
    void aLeaderWhoseDiskFailsHandsOver() {
        String topic = createTopic("bad-disk");
        try (AcknowledgedLoad load = load(topic)) {
            load.awaitProgress(2_000, cluster::output);
            int leader = leaderOf(topic, 0);
            load.gaps().begin();
            assumeTrue(cluster.broker(leader).failWrites(), "skipped: no prlimit here");
            assertThat(cluster.broker(leader).awaitOwnEnd()).isEqualTo(1);
            load.awaitProgress(2_000, cluster::output);
            report("a failing disk of leader " + leader, load);
            assertThat(cluster.broker(leader).output())
                    .contains("Broker " + leader + " has stopped, and others lead what it has led")
                    .contains("Check the disk, then start the broker again.");
            cluster.broker(leader).start();
            awaitInSync(topic, REPLICAS);
            load.finish();
            assertNothingLost(topic, load);
        }
    }

    private static void report(String what, AcknowledgedLoad load) {
        System.out.printf(
                "%s: longest time without an acknowledgement %d ms in any partition, %d ms in all together%n",
                what,
                load.gaps().longestOfOnePartition().toMillis(),
                load.gaps().longestOfAll().toMillis());
    }

    private String createTopic(String prefix) {
        String name = Clients.unique(prefix);
        try (Admin admin = admin()) {
            NewTopic topic =
                    new NewTopic(name, PARTITIONS, REPLICAS)
                            .configs(Map.of("min.insync.replicas", "2"));
            Eventually.holds(
                    cluster::output,
                    () -> Clients.result(admin.describeCluster().nodes()).size() == 3);
            Clients.result(admin.createTopics(List.of(topic)).all());
            Clients.awaitPartitions(admin, name, PARTITIONS);
        }
        return name;
    }

    private Admin admin() {
        return Admin.create(Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, cluster.bootstrap()));
    }

    private AcknowledgedLoad load(String topic) {
        Map<String, Object> settings = new HashMap<>(AcknowledgedLoad.PATIENT);
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, cluster.bootstrap());
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        Producer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        return new AcknowledgedLoad(producer, topic, PARTITIONS);
    }

    private int leaderOf(String topic, int partition) {
        int[] leader = {-1};
        try (Admin admin = admin()) {
            Eventually.holds(
                    cluster::output,
                    () -> {
                        Node found = describe(admin, topic).partitions().get(partition).leader();
                        leader[0] = found == null ? -1 : found.id();
                        return leader[0] > 0;
                    });
        }
        return leader[0];
    }

    private void awaitInSync(String topic, int replicas) {
        try (Admin admin = admin()) {
            Eventually.holds(
                    cluster::output,
                    Duration.ofMinutes(2),
                    () ->
                            describe(admin, topic).partitions().stream()
                                    .map(TopicPartitionInfo::isr)
                                    .allMatch(inSync -> inSync.size() == replicas));
        }
    }

    private static TopicDescription describe(Admin admin, String topic) {
        return Clients.result(admin.describeTopics(List.of(topic)).topicNameValues().get(topic));
    }

    private void assertNothingLost(String topic, AcknowledgedLoad load) {
        assertThat(load.failures()).isEmpty();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            TopicPartition one = new TopicPartition(topic, partition);
            assertThat(load.book().discrepancies(one, clients.readToEnd(one)))
                    .as("%s", one)
                    .isEmpty();
        }
    }
}
