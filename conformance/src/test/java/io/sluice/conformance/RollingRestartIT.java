package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.broker.NeedsProcess;
import io.sluice.conformance.broker.SluiceCluster;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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

    RollingRestartIT(@TempDir Path folder) {
        cluster = new SluiceCluster(folder, 3).start();
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
                GroupReader reader = new GroupReader(cluster.bootstrap(), topic.name(), Map.of())) {
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
            Map<Integer, List<String>> stored = topic.requireStoredOnce(load);
            long all = stored.values().stream().mapToLong(List::size).sum();
            Eventually.holds(
                    () -> reader.failures() + cluster.output(), () -> reader.count() >= all);
            assertThat(reader.failures()).isEmpty();
            assertThat(reader.values()).as("once and in order").isEqualTo(stored);
        }
    }
}
