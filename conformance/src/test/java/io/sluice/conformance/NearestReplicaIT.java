package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.broker.NeedsProcess;
import io.sluice.conformance.broker.SluiceCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A consumer that says where it is reads from the replica there (KIP-392), and from the leader when that one is gone.
@NeedsProcess
@ExtendWith(BrokerExtension.class)
class NearestReplicaIT {
    private static final int LEADER = -1;

    private final SluiceCluster cluster;

    NearestReplicaIT(@TempDir Path folder) {
        cluster = new SluiceCluster(folder, 3, "--broker.rack=rack-{id}").start();
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    @Test
    @DisplayName(
            "Q28: a consumer with client.rack reads everything from the follower in its rack, and goes on when that is killed")
    void theFollowerInTheRackIsRead() {
        ReplicatedTopic topic = ReplicatedTopic.create(cluster, "near", 1);
        TopicPartition partition = new TopicPartition(topic.name(), 0);
        try (AcknowledgedLoad load = topic.load(Map.of(), 500)) {
            int follower = topic.leaderOf(0) % 3 + 1;
            try (Consumer<String, String> reader = reader(follower)) {
                reader.assign(List.of(partition));
                Clients.read(reader, 1);
                awaitReadingFrom(follower, reader);
                Clients.read(reader, 1_000);
                assertThat(readFrom(reader)).isEqualTo(follower);
                cluster.broker(follower).kill();
                awaitReadingFrom(LEADER, reader);
                Clients.read(reader, 1_000);
                load.finish();
                long sent = reader.endOffsets(Set.of(partition)).getOrDefault(partition, 0L);
                Eventually.holds(
                        cluster::output,
                        () -> {
                            reader.poll(Duration.ofMillis(100));
                            return reader.position(partition) == sent;
                        });
            }
            topic.assertNothingLost(load);
        }
    }

    private void awaitReadingFrom(int broker, Consumer<String, String> reader) {
        Eventually.holds(
                cluster::output,
                () -> {
                    reader.poll(Duration.ofMillis(100));
                    return readFrom(reader) == broker;
                });
    }

    private Consumer<String, String> reader(int rack) {
        return new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        cluster.bootstrap(),
                        ConsumerConfig.CLIENT_RACK_CONFIG,
                        "rack-" + rack,
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "earliest"),
                new StringDeserializer(),
                new StringDeserializer());
    }

    /// The broker that its partition is read from, as the client's own metrics have it.
    private static int readFrom(Consumer<String, String> reader) {
        return reader.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals("preferred-read-replica"))
                .map(Metric::metricValue)
                .map(value -> ((Number) value).intValue())
                .findAny()
                .orElse(LEADER);
    }
}
