package io.sluice.benchmarks.measure;

import io.sluice.benchmarks.load.Probe;
import io.sluice.benchmarks.peer.Brokers;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.jspecify.annotations.Nullable;

/// The topics a measure needs, made, looked at and removed through the ordinary admin client.
///
/// Owned by the measure that opened it.
final class Topics implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private final Brokers brokers;
    private final Admin admin;

    Topics(Brokers brokers) {
        this.brokers = brokers;
        admin =
                Admin.create(
                        Map.of(
                                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                                brokers.bootstrap(),
                                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                                (int) LIMIT.toMillis(),
                                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                                (int) LIMIT.toMillis()));
    }

    /// Creates a topic; what the broker has against it comes as the client's exception.
    void create(String name, int partitions) {
        create(name, partitions, Map.of());
    }

    private void create(String name, int partitions, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        int replicas = brokers.site().replicas();
        if (replicas > 1) {
            all.put("min.insync.replicas", Integer.toString(brokers.site().minInSync()));
        }
        NewTopic topic = new NewTopic(name, partitions, (short) replicas).configs(all);
        await(() -> admin.createTopics(List.of(topic)).all().get());
    }

    /// Creates a topic and waits until each of its partitions takes messages, which with Kafka is a little after the answer.
    void createWritable(String name, int partitions) {
        createWritable(name, partitions, Map.of());
    }

    /// The same, with settings of the topic.
    void createWritable(String name, int partitions, Map<String, String> settings) {
        create(name, partitions, settings);
        long deadline = System.nanoTime() + LIMIT.toNanos();
        for (int partition = 0; partition < partitions; partition++) {
            Probe probe = brokers.probe(name, partition);
            while (!probe.attempt()) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException(
                            name + " takes no messages: " + probe.lastObstacle());
                }
            }
        }
    }

    /// Where the leader of each partition is, by partition.
    List<InetSocketAddress> leaderAddresses(String name) {
        return describe(name).stream()
                .map(TopicPartitionInfo::leader)
                .map(leader -> brokers.broker(require(leader, name).id()).place().address())
                .toList();
    }

    /// The id of the leader of each partition, by partition; -1 where there is none.
    List<Integer> leaders(String name) {
        return describe(name).stream()
                .map(partition -> partition.leader() == null ? -1 : partition.leader().id())
                .toList();
    }

    private static Node require(@Nullable Node leader, String topic) {
        if (leader == null) {
            throw new IllegalStateException("A partition of " + topic + " has no leader.");
        }
        return leader;
    }

    private List<TopicPartitionInfo> describe(String name) {
        List<TopicPartitionInfo> partitions = new ArrayList<>();
        await(
                () ->
                        admin.describeTopics(List.of(name)).allTopicNames().get().values().stream()
                                .flatMap(topic -> topic.partitions().stream())
                                .sorted(Comparator.comparingInt(TopicPartitionInfo::partition))
                                .forEach(partitions::add));
        return partitions;
    }

    /// The broker that is the active controller now.
    int controller() {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (System.nanoTime() < deadline) {
            OptionalInt controller = brokers.peer().controller(admin);
            if (controller.isPresent()) {
                return controller.getAsInt();
            }
            Pause.of(Duration.ofMillis(100));
        }
        throw new IllegalStateException("Nobody says who is the controller.");
    }

    void delete(String name) {
        await(() -> admin.deleteTopics(List.of(name)).all().get());
    }

    private interface Call {
        void run() throws ExecutionException, InterruptedException;
    }

    private static void await(Call call) {
        try {
            call.run();
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof KafkaException refused) {
                throw refused;
            }
            throw new IllegalStateException("An admin call failed", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted in an admin call", interrupted);
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(5));
    }
}
