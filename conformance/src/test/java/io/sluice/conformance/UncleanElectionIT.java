package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.broker.NeedsProcess;
import io.sluice.conformance.broker.SluiceCluster;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.EligibleLeadersNotAvailableException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The last replica that has everything is gone for good, and an operator takes what another one has: by Kafka's own admin client, on real processes.
@Tag("kill")
@NeedsProcess
@ExtendWith(BrokerExtension.class)
class UncleanElectionIT {
    private static final TopicPartition PARTITION = new TopicPartition("orders", 0);
    private static final String COUNTER = "sluice_controller_unclean_elections_total";

    private final SluiceCluster cluster;

    UncleanElectionIT(@TempDir Path folder) {
        cluster = new SluiceCluster(folder, 3).start();
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    @Test
    @DisplayName(
            "Q26: nobody leads who may lack acknowledged records, until an operator orders it; then the partition is there again, with what is left")
    void anUncleanElectionIsMadeWhenItIsOrderedAndOnlyThen() {
        Map<String, Object> all =
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, cluster.bootstrap());
        try (Admin admin = Admin.create(all)) {
            Eventually.holds(
                    cluster::output,
                    () -> Clients.result(admin.describeCluster().nodes()).size() == 3);
            NewTopic orders = new NewTopic(PARTITION.topic(), Map.of(0, List.of(2, 3)));
            Clients.result(admin.createTopics(List.of(orders)).all());
            Clients.awaitPartitions(admin, PARTITION.topic(), 1);
            assertThat(send(all, "on both")).isZero();
            cluster.broker(3).kill();
            assertThat(send(all, "on the second alone")).isEqualTo(1);
            cluster.broker(2).kill();
            cluster.broker(3).start();

            Eventually.holds(cluster::output, () -> leader(admin) < 0 && isLive(admin, 3));
            assertThat(elect(admin, ElectionType.PREFERRED)).isPresent();
            assertThat(leader(admin)).as("it lacks a record that was acknowledged").isNegative();

            assertThat(elect(admin, ElectionType.UNCLEAN)).isEmpty();
            Eventually.holds(cluster::output, () -> leader(admin) == 3);
            assertThat(send(all, "afterwards")).as("in the place of what is lost").isEqualTo(1);
            assertThat(new Clients(cluster.broker(3).broker()).readToEnd(PARTITION))
                    .map(ConsumerRecord::value)
                    .containsExactly("on both", "afterwards");
            assertThat(cluster.broker(1).metric(COUNTER) + cluster.broker(3).metric(COUNTER))
                    .isEqualTo(1);
            assertThat(cluster.output())
                    .contains("Unclean election: broker 3 leads partition orders-0");
        }
    }

    @Test
    @DisplayName("Q26: where no replica is there at all, an ordered election says so")
    void withoutAnyReplicaThereIsNoElection() {
        Map<String, Object> all =
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, cluster.bootstrap());
        try (Admin admin = Admin.create(all)) {
            Eventually.holds(
                    cluster::output,
                    () -> Clients.result(admin.describeCluster().nodes()).size() == 3);
            NewTopic orders = new NewTopic(PARTITION.topic(), Map.of(0, List.of(3)));
            Clients.result(admin.createTopics(List.of(orders)).all());
            cluster.broker(3).kill();
            Eventually.holds(cluster::output, () -> leader(admin) < 0);
            assertThat(elect(admin, ElectionType.UNCLEAN))
                    .containsInstanceOf(EligibleLeadersNotAvailableException.class);
        }
    }

    /// The offset that was acknowledged by all who are in sync.
    private static long send(Map<String, Object> settings, String value) {
        try (Producer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            ProducerRecord<String, String> record =
                    new ProducerRecord<>(PARTITION.topic(), 0, null, value);
            return Clients.sendAll(producer, 1, _ -> record).getFirst().offset();
        }
    }

    private static int leader(Admin admin) {
        TopicPartitionInfo info =
                Clients.result(
                                admin.describeTopics(List.of(PARTITION.topic()))
                                        .topicNameValues()
                                        .get(PARTITION.topic()))
                        .partitions()
                        .getFirst();
        Node leader = info.leader();
        return leader == null ? -1 : leader.id();
    }

    private static boolean isLive(Admin admin, int broker) {
        return Clients.result(admin.describeCluster().nodes()).stream()
                .anyMatch(node -> node.id() == broker);
    }

    /// Why it was not done, if it was not.
    private static Optional<Throwable> elect(Admin admin, ElectionType type) {
        return Clients.result(admin.electLeaders(type, Set.of(PARTITION)).partitions())
                .getOrDefault(PARTITION, Optional.empty());
    }
}
