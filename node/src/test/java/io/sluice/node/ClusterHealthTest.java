package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.controller.BrokerView;
import io.sluice.controller.ClusterView;
import io.sluice.node.ClusterHealth.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterHealthTest {
    private static ClusterHealth health(int controller, boolean directed) {
        ClusterView view =
                new ClusterView(
                        "cluster",
                        List.of(new BrokerView(1, "a", 1, null, 0)),
                        controller,
                        List.of());
        return ClusterHealth.of(view, 1, _ -> 1, 0, directed);
    }

    @Test
    void aClusterWithAControllerIsHealthy() {
        assertThat(health(1, true).verdict()).isEqualTo(Verdict.HEALTHY);
    }

    /// While the metadata store has no majority nobody can take the controller's name out of it.
    @Test
    void theNameOfAControllerIsNotEnough() {
        ClusterHealth health = health(1, false);
        assertThat(health.verdict()).isEqualTo(Verdict.DEGRADED);
        assertThat(health.reason()).contains("no controller acts");
        assertThat(health(ClusterView.NOBODY, true).verdict()).isEqualTo(Verdict.DEGRADED);
    }
}
