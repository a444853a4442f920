package io.sluice.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Clusters that were set up wrongly: each mistake is refused with a sentence that names its cause and what to do.
class WrongSetupsTest {
    @TempDir Path folder;

    private final int clientPort = freePort();

    /// Below the range from which outgoing connections get theirs.
    private static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(23_000, 32_000);
            try (ServerSocket held = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return held.getLocalPort();
            } catch (IOException _) {
                // Somebody else's.
            }
        }
    }

    private Map<String, String> settings(String data, int id) {
        Map<String, String> settings = new HashMap<>();
        settings.put("node.id", "" + id);
        settings.put("data", folder.resolve(data).toString());
        settings.put("kafka.listen", "127.0.0.1:0");
        settings.put("admin.listen", "127.0.0.1:0");
        return settings;
    }

    /// The first broker of a cluster, with the whole ensemble inside.
    private Map<String, String> withEnsemble(String data, int id, int port) {
        Map<String, String> settings = settings(data, id);
        settings.put(
                "cluster.ensemble",
                id + "@127.0.0.1:" + freePort() + ":" + freePort() + ":" + port);
        return settings;
    }

    private Map<String, String> joining(String data, int id) {
        Map<String, String> settings = settings(data, id);
        settings.put("cluster.zookeeper", "127.0.0.1:" + clientPort + "/sluice");
        return settings;
    }

    @Test
    @DisplayName("a broker with another cluster's data")
    void anotherClustersDataIsRefused() {
        try (Broker other = Broker.start(withEnsemble("other", 1, freePort()))) {
            assertThat(other.bootstrap()).isNotEmpty();
        }
        try (Broker first = Broker.start(withEnsemble("first", 2, clientPort))) {
            assertThatThrownBy(() -> Broker.start(joining("other", 1)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("The data directory of broker 1 belongs to cluster")
                    .hasMessageContaining("Name the store of its own cluster");
            assertThat(first.bootstrap()).isNotEmpty();
        }
    }

    /// Otherwise the folder would count as another cluster's from then on.
    @Test
    @DisplayName("a port that is taken, at the first start in a cluster")
    void aFirstStartThatFailsLeavesTheDataDirectoryAsNew() throws IOException {
        try (Broker first = Broker.start(withEnsemble("first", 2, clientPort));
                ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Map<String, String> settings = joining("second", 1);
            settings.put("kafka.listen", "127.0.0.1:" + taken.getLocalPort());
            assertThatThrownBy(() -> Broker.start(settings)).hasMessageContaining("--kafka.listen");
            try (Broker second = Broker.start(joining("second", 1))) {
                assertThat(second.bootstrap()).isNotEqualTo(first.bootstrap());
            }
        }
    }

    /// It waits for 30 s, and has written down by then which process it was.
    @Test
    @DisplayName(
            "a replacement with an empty disk, started too early, and once more when the old one is down")
    void aReplacementThatCameTooEarlyCanBeStartedAgain() {
        try (Broker first = Broker.start(withEnsemble("first", 1, clientPort))) {
            try (Broker old = Broker.start(joining("old", 2))) {
                assertThatThrownBy(() -> Broker.start(joining("new", 2)))
                        .hasMessageContaining("Another broker with id 2 runs at " + old.bootstrap())
                        .hasMessageContaining("with another data directory");
            }
            try (Broker replacement = Broker.start(joining("new", 2))) {
                assertThat(replacement.bootstrap()).isNotEqualTo(first.bootstrap());
            }
        }
    }

    /// ZooKeeper would try again by itself, one stack trace for each time, and not name the port.
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    @DisplayName("a port of the ensemble that is taken")
    void aTakenPortOfTheEnsembleIsNamed(int which) throws IOException {
        try (ServerSocket taken =
                new ServerSocket(freePort(), 1, InetAddress.getLoopbackAddress())) {
            Map<String, String> settings = settings("first", 1);
            settings.put(
                    "cluster.ensemble",
                    IntStream.range(0, 3)
                            .map(port -> port == which ? taken.getLocalPort() : freePort())
                            .mapToObj(String::valueOf)
                            .collect(Collectors.joining(":", "1@127.0.0.1:", "")));
            assertThatThrownBy(() -> Broker.start(settings))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("127.0.0.1:" + taken.getLocalPort())
                    .hasMessageContaining("other ports in cluster.ensemble")
                    .hasMessageNotContaining("Exception");
        }
    }

    @Test
    @DisplayName("an ensemble that cannot be reached at the start")
    void anEnsembleThatIsNotThereIsNamed() {
        Map<String, String> settings = joining("lonely", 1);
        settings.put("cluster.zookeeper.start-timeout", "1s");
        assertThatThrownBy(() -> Broker.start(settings))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("No ZooKeeper server answers at 127.0.0.1:" + clientPort)
                .hasMessageContaining("Check that most servers of the ensemble run");
    }

    @Test
    @DisplayName(
            "more replicas than brokers, a reassignment to an unknown broker, an unknown broker drained or taken in again")
    void whatTheClusterCannotDoIsRefused() throws Exception {
        try (Broker only = Broker.start(withEnsemble("only", 1, clientPort));
                Admin admin = Admin.create(Map.of("bootstrap.servers", only.bootstrap()))) {
            assertRefused(
                    () ->
                            admin.createTopics(List.of(new NewTopic("wide", 1, (short) 3)))
                                    .all()
                                    .get(),
                    "3");
            admin.createTopics(List.of(new NewTopic("orders", 1, (short) 1))).all().get();
            assertRefused(
                    () ->
                            admin.alterPartitionReassignments(
                                            Map.of(
                                                    new TopicPartition("orders", 0),
                                                    Optional.of(
                                                            new NewPartitionReassignment(
                                                                    List.of(77)))))
                                    .all()
                                    .get(),
                    "unknown broker(s) [77]; known are [1]");
            for (AlterConfigOp.OpType how :
                    List.of(AlterConfigOp.OpType.APPEND, AlterConfigOp.OpType.SUBTRACT)) {
                assertRefused(
                        () ->
                                admin.incrementalAlterConfigs(
                                                Map.of(
                                                        new ConfigResource(
                                                                ConfigResource.Type.BROKER, ""),
                                                        List.of(
                                                                new AlterConfigOp(
                                                                        new ConfigEntry(
                                                                                "cluster.draining",
                                                                                "77"),
                                                                        how))))
                                        .all()
                                        .get(),
                        "There is no broker 77; known are [1].");
            }
        }
    }

    private interface Attempt {
        void run() throws ExecutionException, InterruptedException;
    }

    private static void assertRefused(Attempt attempt, String sentence) {
        assertThatThrownBy(attempt::run)
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining(sentence);
    }
}
