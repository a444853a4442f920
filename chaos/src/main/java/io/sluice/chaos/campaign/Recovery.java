package io.sluice.chaos.campaign;

import io.sluice.chaos.cluster.BrokerProcess;
import io.sluice.chaos.cluster.ClusterEye;
import io.sluice.chaos.cluster.ClusterUnderTest;
import io.sluice.chaos.cluster.PartitionState;
import io.sluice.chaos.load.Load;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Waits until a cluster is whole: every process runs, every partition is led and all its replicas are in sync, and every partition takes messages.
///
/// Owned by the campaign's thread.
final class Recovery {
    /// Any broker may answer, also one that was cut off a moment ago and knows of nothing since.
    private static final int LOOKS_IN_A_ROW = 3;

    private final ClusterUnderTest cluster;
    private final ClusterEye eye;
    private final Duration limit;
    private final Consumer<String> findings;

    Recovery(ClusterUnderTest cluster, ClusterEye eye, Duration limit, Consumer<String> findings) {
        this.cluster = cluster;
        this.eye = eye;
        this.limit = limit;
        this.findings = findings;
    }

    /// How long that took from now on; absent when it did not happen in time, which is a finding.
    @Nullable Duration await(String topic, Load load) {
        long began = System.nanoTime();
        List<PartitionState> last = null;
        int whole = 0;
        while (System.nanoTime() - began < limit.toNanos()) {
            restartTheDead();
            last = eye.look(topic);
            whole = last != null && last.stream().allMatch(PartitionState::isWhole) ? whole + 1 : 0;
            if (whole >= LOOKS_IN_A_ROW && load.everyPartitionAcknowledgedSince(began)) {
                return Duration.ofNanos(System.nanoTime() - began);
            }
            sleep(Duration.ofMillis(100));
        }
        findings.accept(
                "not whole %d s after everything was healed: %s"
                        .formatted(
                                limit.toSeconds(),
                                last == null
                                        ? "no broker describes the topic"
                                        : last.stream()
                                                        .filter(state -> !state.isWhole())
                                                        .map(Objects::toString)
                                                        .toList()
                                                + (load.everyPartitionAcknowledgedSince(began)
                                                        ? ", all acknowledge"
                                                        : ", not all acknowledge")));
        return null;
    }

    /// A broker that ends by itself is a finding; the campaign goes on with it started again, as a service manager would.
    private void restartTheDead() {
        for (BrokerProcess broker : cluster.brokers()) {
            if (broker.hasDied()) {
                findings.accept(
                        "broker %d ended by itself; its last words:\n%s"
                                .formatted(broker.id(), broker.lastOutput(15)));
                broker.start();
                sleep(Duration.ofSeconds(1));
            }
        }
    }

    static void sleep(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", interrupted);
        }
    }
}
