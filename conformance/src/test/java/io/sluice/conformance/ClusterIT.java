package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.broker.NeedsProcess;
import io.sluice.conformance.broker.SluiceCluster;
import io.sluice.conformance.broker.SluiceProcess;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
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

    private final SluiceCluster cluster;

    ClusterIT(@TempDir Path folder) {
        cluster = new SluiceCluster(folder, 3).start();
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    @Test
    @DisplayName(
            "Q8, Q20, Q22: the leader is killed again and again under load; nothing acknowledged is lost, and the producer hardly notices")
    void aKilledLeaderIsReplacedAndNothingIsLost() {
        ReplicatedTopic topic = topic("failover");
        try (AcknowledgedLoad load = topic.load(AcknowledgedLoad.PATIENT)) {
            for (int kill = 0; kill < KILLS; kill++) {
                load.awaitProgress(2_000, cluster::output);
                int leader = topic.leaderOf(kill % PARTITIONS);
                load.gaps().begin();
                cluster.broker(leader).kill();
                load.awaitProgress(2_000, cluster::output);
                report("kill -9 of leader " + leader, load);
                cluster.broker(leader).start();
                topic.awaitInSync();
            }
            load.finish();
            topic.assertNothingLost(load);
        }
    }

    @Test
    @DisplayName(
            "Q8: all brokers are killed at once, and started again; nothing acknowledged is lost")
    void everythingKilledAtOnceLosesNothing() {
        ReplicatedTopic topic = topic("blackout");
        try (AcknowledgedLoad load = topic.load(AcknowledgedLoad.PATIENT)) {
            load.awaitProgress(3_000, cluster::output);
            load.gaps().begin();
            cluster.brokers().forEach(SluiceProcess::kill);
            cluster.start();
            load.awaitProgress(3_000, cluster::output);
            report("kill -9 of all, and their restart", load);
            load.finish();
            topic.assertNothingLost(load);
        }
    }

    @Test
    @DisplayName("Q21: brokers stop in order and come back, one after the other; no send fails")
    void aRollingRestartFailsNoSend() {
        aTopicThatNobodyMakesHasThreeCopies();
        ReplicatedTopic topic = topic("rolling");
        try (AcknowledgedLoad load = topic.load(AcknowledgedLoad.PATIENT)) {
            for (int id = 1; id <= 3; id++) {
                load.awaitProgress(2_000, cluster::output);
                load.gaps().begin();
                cluster.broker(id).stop();
                load.awaitProgress(1_000, cluster::output);
                report("stop of broker " + id, load);
                cluster.broker(id).start();
                topic.awaitInSync();
            }
            load.finish();
            topic.assertNothingLost(load);
        }
    }

    @Test
    @DisplayName(
            "Q8, Q20: a leader whose disk fails hands over and stops, with a sentence; nothing acknowledged is lost")
    void aLeaderWhoseDiskFailsHandsOver() {
        ReplicatedTopic topic = topic("bad-disk");
        try (AcknowledgedLoad load = topic.load(AcknowledgedLoad.PATIENT)) {
            load.awaitProgress(2_000, cluster::output);
            int leader = topic.leaderOf(0);
            load.gaps().begin();
            assumeTrue(cluster.broker(leader).failWrites(), "skipped: no prlimit here");
            assertThat(cluster.broker(leader).awaitOwnEnd()).isEqualTo(1);
            load.awaitProgress(2_000, cluster::output);
            report("a failing disk of leader " + leader, load);
            assertThat(cluster.broker(leader).output())
                    .contains("Broker " + leader + " has stopped, and others lead what it has led")
                    .contains("Check the disk, then start the broker again.");
            cluster.broker(leader).start();
            topic.awaitInSync();
            load.finish();
            topic.assertNothingLost(load);
        }
    }

    /// Q22.
    private void aTopicThatNobodyMakesHasThreeCopies() {
        String unasked = Clients.unique("unasked");
        Clients clients = new Clients(cluster.broker(1).broker());
        try (Producer<String, String> producer = clients.producer();
                Admin admin = clients.admin()) {
            Clients.sendAll(producer, 1, i -> new ProducerRecord<>(unasked, "" + i));
            TopicDescription made =
                    Clients.result(admin.describeTopics(List.of(unasked)).allTopicNames())
                            .values()
                            .iterator()
                            .next();
            assertThat(made.partitions())
                    .allSatisfy(partition -> assertThat(partition.replicas()).hasSize(3));
        }
    }

    private ReplicatedTopic topic(String prefix) {
        return ReplicatedTopic.create(cluster, prefix, PARTITIONS);
    }

    private static void report(String what, AcknowledgedLoad load) {
        System.out.printf(
                "%s: longest time without an acknowledgement %d ms in any partition, %d ms in all together%n",
                what,
                load.gaps().longestOfOnePartition().toMillis(),
                load.gaps().longestOfAll().toMillis());
    }
}
