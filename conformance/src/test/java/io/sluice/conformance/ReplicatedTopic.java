package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.SluiceCluster;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.serialization.StringSerializer;

/// A topic with three replicas, two of which must confirm what is acknowledged; and what tests of clusters do with it.
///
/// Immutable.
record ReplicatedTopic(SluiceCluster cluster, String name, int partitions) {
    private static final int REPLICAS = 3;

    /// Waits for all brokers, and makes a topic with a name of its own.
    static ReplicatedTopic create(SluiceCluster cluster, String prefix, int partitions) {
        ReplicatedTopic topic = new ReplicatedTopic(cluster, Clients.unique(prefix), partitions);
        try (Admin admin = topic.admin()) {
            Eventually.holds(
                    cluster::output,
                    () ->
                            Clients.result(admin.describeCluster().nodes()).size()
                                    == cluster.brokers().size());
            NewTopic fresh =
                    new NewTopic(topic.name, partitions, (short) REPLICAS)
                            .configs(Map.of("min.insync.replicas", "2"));
            Clients.result(admin.createTopics(List.of(fresh)).all());
            Clients.awaitPartitions(admin, topic.name, partitions);
        }
        return topic;
    }

    Admin admin() {
        return Admin.create(Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, cluster.bootstrap()));
    }

    /// Sends until it is told to end; everything must be confirmed by the replicas.
    ///
    /// @param more settings of the producer on top of the client's own
    AcknowledgedLoad load(Map<String, Object> more) {
        return load(more, 0);
    }

    /// @param perSecond so many messages at most; 0 for as many as the brokers take
    AcknowledgedLoad load(Map<String, Object> more, int perSecond) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, cluster.bootstrap());
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        return new AcknowledgedLoad(
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer()),
                name,
                partitions,
                perSecond);
    }

    /// The id of the broker that leads it, as soon as there is one.
    int leaderOf(int partition) {
        int[] leader = {-1};
        try (Admin admin = admin()) {
            Eventually.holds(
                    cluster::output,
                    () -> {
                        Node found = described(admin).get(partition).leader();
                        leader[0] = found == null ? -1 : found.id();
                        return leader[0] > 0;
                    });
        }
        return leader[0];
    }

    void awaitInSync() {
        try (Admin admin = admin()) {
            Eventually.holds(
                    cluster::output,
                    Duration.ofMinutes(2),
                    () ->
                            described(admin).stream()
                                    .map(TopicPartitionInfo::isr)
                                    .allMatch(inSync -> inSync.size() == REPLICAS));
        }
    }

    private List<TopicPartitionInfo> described(Admin admin) {
        return Clients.result(admin.describeTopics(List.of(name)).topicNameValues().get(name))
                .partitions();
    }

    /// Every message was acknowledged, and each is where its acknowledgement has said.
    void assertNothingLost(AcknowledgedLoad load) {
        assertThat(load.failures()).isEmpty();
        for (int partition = 0; partition < partitions; partition++) {
            records(load, partition);
        }
    }

    /// The same, and nothing is there twice. By partition, in the order of the offsets.
    Map<Integer, List<String>> requireStoredOnce(AcknowledgedLoad load) {
        assertThat(load.failures()).isEmpty();
        Map<Integer, List<String>> stored = new TreeMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            List<String> values =
                    records(load, partition).stream().map(ConsumerRecord::value).toList();
            assertThat(values).as("no duplicate in %d", partition).doesNotHaveDuplicates();
            stored.put(partition, values);
        }
        return stored;
    }

    private List<ConsumerRecord<String, String>> records(AcknowledgedLoad load, int partition) {
        TopicPartition one = new TopicPartition(name, partition);
        List<ConsumerRecord<String, String>> records =
                new Clients(cluster.broker(1).broker()).readToEnd(one);
        assertThat(load.book().discrepancies(one, records)).as("%s", one).isEmpty();
        return records;
    }
}
