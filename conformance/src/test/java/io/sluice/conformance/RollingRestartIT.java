package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.broker.NeedsProcess;
import io.sluice.conformance.broker.SluiceCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Three real brokers restart one after the other under a producer and a consumer group with the client's own settings: no operation fails.
@Tag("kill")
@NeedsProcess
@ExtendWith(BrokerExtension.class)
@EnabledIfSystemProperty(named = "sluice.patient", matches = "true")
class RollingRestartIT {
    private static final int PARTITIONS = 6;

    private final SluiceCluster cluster;
    private final Clients clients;

    RollingRestartIT(@TempDir Path folder) {
        cluster = new SluiceCluster(folder, 3).start();
        clients = new Clients(cluster.broker(1).broker());
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    @Test
    @DisplayName(
            "A rolling restart of all brokers: no send, poll or commit fails, nothing is lost, nothing comes twice")
    void noOperationFails() {
        ReplicatedTopic topic = ReplicatedTopic.create(cluster, "rolling", PARTITIONS);
        try (AcknowledgedLoad load = topic.load(Map.of());
                Reader reader = new Reader(topic.name())) {
            for (int id = 1; id <= 3; id++) {
                load.awaitProgress(2_000, cluster::output);
                load.gaps().begin();
                cluster.broker(id).stop();
                load.awaitProgress(1_000, cluster::output);
                cluster.broker(id).start();
                topic.awaitInSync();
                System.out.printf(
                        "restart of broker %d: longest time without an acknowledgement %d ms in any partition%n",
                        id, load.gaps().longestOfOnePartition().toMillis());
            }
            load.awaitProgress(2_000, cluster::output);
            load.finish();
            assertThat(load.failures()).isEmpty();
            Map<Integer, List<String>> stored = stored(topic.name(), load);
            long all = stored.values().stream().mapToLong(List::size).sum();
            Eventually.holds(cluster::output, () -> reader.count.get() >= all);
            assertThat(reader.failures).isEmpty();
            assertThat(reader.read()).as("once and in order").isEqualTo(stored);
        }
    }

    private Map<Integer, List<String>> stored(String topic, AcknowledgedLoad load) {
        Map<Integer, List<String>> stored = new TreeMap<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            TopicPartition one = new TopicPartition(topic, partition);
            List<ConsumerRecord<String, String>> records = clients.readToEnd(one);
            assertThat(load.book().discrepancies(one, records)).as("%s", one).isEmpty();
            List<String> values = records.stream().map(ConsumerRecord::value).toList();
            assertThat(values).as("no duplicate in %s", one).doesNotHaveDuplicates();
            stored.put(partition, values);
        }
        return stored;
    }

    /// A member of a group that reads and commits all the time. Owned by the test; its thread alone touches the client.
    private final class Reader implements AutoCloseable {
        private final List<Exception> failures = new CopyOnWriteArrayList<>();
        private final Map<Integer, List<String>> values = new TreeMap<>();
        private final AtomicLong count = new AtomicLong();
        private final Thread thread;
        private volatile boolean stopping;

        Reader(String topic) {
            thread = Thread.ofPlatform().name("reader").start(() -> read(topic));
        }

        private void read(String topic) {
            Map<String, Object> settings =
                    Map.of(
                            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                            cluster.bootstrap(),
                            ConsumerConfig.GROUP_ID_CONFIG,
                            topic,
                            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                            false,
                            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                            "earliest");
            try (Consumer<String, String> consumer =
                    new KafkaConsumer<>(
                            settings, new StringDeserializer(), new StringDeserializer())) {
                consumer.subscribe(List.of(topic));
                while (!stopping) {
                    consumer.poll(Duration.ofMillis(200)).forEach(this::take);
                    consumer.commitSync();
                }
            } catch (RuntimeException failure) {
                failures.add(failure);
            }
        }

        private void take(ConsumerRecord<String, String> record) {
            synchronized (values) {
                values.computeIfAbsent(record.partition(), _ -> new ArrayList<>())
                        .add(record.value());
            }
            count.incrementAndGet();
        }

        Map<Integer, List<String>> read() {
            synchronized (values) {
                return new TreeMap<>(values);
            }
        }

        @Override
        public void close() {
            stopping = true;
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
