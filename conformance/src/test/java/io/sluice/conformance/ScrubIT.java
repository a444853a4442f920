package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.broker.NeedsProcess;
import io.sluice.conformance.broker.SluiceCluster;
import io.sluice.conformance.broker.SluiceProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Three real brokers whose disks forget a bit: scrubbing finds it, another replica mends it, and clients notice nothing.
@Tag("kill")
@NeedsProcess
@ExtendWith(BrokerExtension.class)
class ScrubIT {
    private static final int MESSAGES = 400;
    private static final String VALUE = "v".repeat(10_000);

    private final SluiceCluster cluster;
    private final Clients clients;

    ScrubIT(@TempDir Path folder) {
        cluster = new SluiceCluster(folder, 3, "--log.scrub-interval=500ms").start();
        clients = new Clients(cluster.broker(1).broker());
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    @Test
    @DisplayName(
            "Q8, Q13: a bit flips in a closed segment of a follower and of the leader; both are whole again while clients go on")
    void aFlippedBitIsMendedOnAFollowerAndOnTheLeader() throws IOException {
        String topic = createTopic();
        fill(topic);
        int leader = leaderOf(topic);
        int follower = leader % 3 + 1;
        try (AcknowledgedLoad load = load(topic)) {
            load.awaitProgress(500, cluster::output);
            flip(firstSegment(topic, follower), 123_456);
            awaitMended(follower, 1);
            flip(firstSegment(topic, leader), 345_678);
            flip(firstSegment(topic, leader), 17);
            awaitMended(leader, 2);
            load.awaitProgress(500, cluster::output);
            load.finish();
            assertThat(load.failures()).isEmpty();
        }
        assertThat(clients.readToEnd(new TopicPartition(topic, 0)))
                .hasSizeGreaterThan(MESSAGES + 1_000);
        byte[] reference = bytes(topic, 6 - leader - follower);
        assertThat(Arrays.mismatch(reference, bytes(topic, follower))).isEqualTo(-1);
        assertThat(Arrays.mismatch(reference, bytes(topic, leader))).isEqualTo(-1);
    }

    private String createTopic() {
        String name = Clients.unique("scrub");
        try (Admin admin = admin()) {
            Eventually.holds(
                    cluster::output,
                    () -> Clients.result(admin.describeCluster().nodes()).size() == 3);
            NewTopic topic =
                    new NewTopic(name, 1, (short) 3)
                            .configs(
                                    Map.of("min.insync.replicas", "2", "segment.bytes", "1048576"));
            Clients.result(admin.createTopics(List.of(topic)).all());
            Clients.awaitPartitions(admin, name, 1);
        }
        return name;
    }

    private Admin admin() {
        return Admin.create(Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, cluster.bootstrap()));
    }

    private Producer<String, String> producer() {
        Map<String, Object> settings = new HashMap<>(AcknowledgedLoad.PATIENT);
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, cluster.bootstrap());
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
    }

    private void fill(String topic) {
        try (Producer<String, String> producer = producer()) {
            Clients.sendAll(
                    producer, MESSAGES, i -> new ProducerRecord<>(topic, 0, null, i + VALUE));
        }
    }

    private AcknowledgedLoad load(String topic) {
        return new AcknowledgedLoad(producer(), topic, 1);
    }

    private int leaderOf(String topic) {
        try (Admin admin = admin()) {
            TopicPartitionInfo partition =
                    Clients.result(
                                    admin.describeTopics(List.of(topic))
                                            .topicNameValues()
                                            .get(topic))
                            .partitions()
                            .getFirst();
            assertThat(partition.isr()).hasSize(3);
            return partition.leader().id();
        }
    }

    private Path folder(String topic, int broker) {
        return cluster.broker(broker).data().resolve("log").resolve(topic + "-0");
    }

    private Path firstSegment(String topic, int broker) {
        return folder(topic, broker).resolve("00000000000000000000.log");
    }

    private static void flip(Path file, long position) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(position);
            int before = bytes.read();
            bytes.seek(position);
            bytes.write(before ^ 4);
        }
    }

    private void awaitMended(int broker, int places) {
        Eventually.holds(
                cluster::output,
                Duration.ofMinutes(1),
                () -> metric(broker, "sluice_log_damages_repaired_total") >= places);
        assertThat(metric(broker, "sluice_log_damages_present")).isZero();
        assertThat(metric(broker, "sluice_log_scrubbed_bytes_total")).isGreaterThan(1_000_000);
    }

    private double metric(int broker, String name) {
        SluiceProcess process = cluster.broker(broker);
        URI page = URI.create("http://localhost:" + process.adminPort() + "/metrics");
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpResponse<String> answer =
                    http.send(
                            HttpRequest.newBuilder(page).build(),
                            HttpResponse.BodyHandlers.ofString());
            return answer.body()
                    .lines()
                    .filter(line -> line.startsWith(name + " "))
                    .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                    .findFirst()
                    .orElse(-1);
        } catch (IOException e) {
            return -1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /// All closed segments of a replica, one behind the other, as far as all replicas have closed them.
    private byte[] bytes(String topic, int broker) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (Stream<Path> files = Files.list(folder(topic, broker))) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".log")).sorted().toList()) {
                all.write(Files.readAllBytes(file));
            }
        }
        return Arrays.copyOf(all.toByteArray(), 3 << 20);
    }
}
