package io.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ClusterStateTest {
    private static ClusterState state(
            List<Integer> away, List<Integer> silent, List<Integer> undirected) {
        return new ClusterState(
                List.of(1, 2, 3),
                List.of(),
                away,
                silent,
                undirected,
                4,
                List.of(),
                List.of(),
                List.of(),
                List.of("orders-0"),
                List.of(),
                new TreeMap<>());
    }

    @Test
    void movesAloneAreNoFault() {
        ClusterState well = state(List.of(), List.of(), List.of());
        assertThat(well.verdict()).isEqualTo(ClusterState.Verdict.HEALTHY);
        assertThat(well.reasons()).isEmpty();
    }

    /// A metadata store without a majority: partitions look well, and nothing can be elected.
    @Test
    void withoutAControllerThatActsAClusterIsNotHealthy() {
        ClusterState undirected = state(List.of(), List.of(), List.of(1, 3));
        assertThat(undirected.verdict()).isEqualTo(ClusterState.Verdict.DEGRADED);
        assertThat(undirected.reasons())
                .containsExactly(
                        "no controller acts, say broker(s) [1, 3]: nothing can be elected or created");
    }

    @Test
    void whoIsAwayOrSilentIsNamed() {
        ClusterState away = state(List.of(3), List.of(), List.of());
        assertThat(away.verdict()).isEqualTo(ClusterState.Verdict.DEGRADED);
        assertThat(away.reasons()).containsExactly("broker(s) [3] are away");
        ClusterState silent = state(List.of(), List.of(2), List.of());
        assertThat(silent.verdict()).isEqualTo(ClusterState.Verdict.DEGRADED);
        assertThat(silent.reasons()).containsExactly("broker(s) [2] do not answer");
    }
}
