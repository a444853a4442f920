package io.sluice.kafka.api.cluster;

import io.sluice.controller.ClusterView;
import io.sluice.controller.PartitionPlan;
import java.util.List;

/// Replicas on brokers that are not there now. Stateless.
final class Offline {
    private Offline() {}

    static List<Integer> of(PartitionPlan partition, ClusterView view) {
        for (int replica : partition.replicas()) {
            if (!view.isLive(replica)) {
                return partition.replicas().stream().filter(one -> !view.isLive(one)).toList();
            }
        }
        return List.of(); // Nearly always, and asked for every partition.
    }
}
