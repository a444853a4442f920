package io.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.junit.jupiter.api.Test;

class ClusterStateTest {
    private static final String MOVES = "1 partition(s) on the move (orders-0)";

    private static ClusterState state(
            List<Integer> away, List<Integer> silent, List<Integer> undirected) {
        return new ClusterState(
                List.of(1, 2, 3),
                List.of(),
                away,
                silent,
                undirected,
                4,
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                List.of("orders-0"),
                List.of(),
                new TreeMap<>());
    }

    @Test
    void movesAloneAreNoFault() {
        ClusterState well = state(List.of(), List.of(), List.of());
        assertThat(well.verdict()).isEqualTo(ClusterState.Verdict.HEALTHY);
        assertThat(well.reasons()).containsExactly(MOVES);
    }

    /// Kafka lists a new replica from the beginning of its move; until it has caught up, nothing is missing.
    @Test
    void aReplicaThatIsBeingMadeIsNotMissing() {
        ClusterState state = state(List.of(), List.of(), List.of());
        state.sort("orders", partition(0, List.of(1, 2, 3, 4), List.of(1, 2, 4)), 1, List.of(3));
        assertThat(state.underReplicated()).isEmpty();
        state.sort("orders", partition(1, List.of(1, 2, 3, 4), List.of(1, 4)), 1, List.of(3));
        state.sort("orders", partition(2, List.of(1, 2, 3), List.of(1, 2)), 1, List.of());
        assertThat(state.underReplicated()).containsExactly("orders-1", "orders-2");
    }

    private static TopicPartitionInfo partition(
            int number, List<Integer> replicas, List<Integer> inSync) {
        return new TopicPartitionInfo(
                number, node(inSync.getFirst()), nodes(replicas), nodes(inSync));
    }

    private static List<Node> nodes(List<Integer> ids) {
        return ids.stream().map(ClusterStateTest::node).toList();
    }

    private static Node node(int id) {
        return new Node(id, "localhost", 9092);
    }

    /// A metadata store without a majority: partitions look well, and nothing can be elected.
    @Test
    void withoutAControllerThatActsAClusterIsNotHealthy() {
        ClusterState undirected = state(List.of(), List.of(), List.of(1, 3));
        assertThat(undirected.verdict()).isEqualTo(ClusterState.Verdict.DEGRADED);
        assertThat(undirected.reasons())
                .containsExactly(
                        "no controller acts, say broker(s) [1, 3]: nothing can be elected or created",
                        MOVES);
    }

    @Test
    void whoIsAwayOrSilentIsNamed() {
        ClusterState away = state(List.of(3), List.of(), List.of());
        assertThat(away.verdict()).isEqualTo(ClusterState.Verdict.DEGRADED);
        assertThat(away.reasons()).containsExactly("broker(s) [3] are away", MOVES);
        ClusterState silent = state(List.of(), List.of(2), List.of());
        assertThat(silent.verdict()).isEqualTo(ClusterState.Verdict.DEGRADED);
        assertThat(silent.reasons()).containsExactly("broker(s) [2] do not answer", MOVES);
    }
}
