package io.sluice.simulation.cluster.invariant;

import io.sluice.node.Node;
import io.sluice.partition.Partition;
import io.sluice.simulation.cluster.Facts;
import io.sluice.simulation.cluster.SimBroker;
import io.sluice.simulation.cluster.StoredPlan;

/// In a log that a broker has opened every batch begins where the one before ends, and epochs never go back. What a power loss has left is no log before it is recovered.
public final class LogsHaveNoHoles extends ClusterInvariant {
    public LogsHaveNoHoles(Facts facts) {
        super(facts);
    }

    @Override
    public void checkpoint() {
        for (SimBroker broker : facts().cluster().brokers()) {
            Node node = broker.node();
            if (node != null) {
                for (StoredPlan plan : facts().plans().all()) {
                    check(broker, plan, node);
                }
            }
        }
    }

    private void check(SimBroker broker, StoredPlan plan, Node node) {
        Partition partition = node.partitions().find(plan.id());
        boolean open =
                partition != null
                        && partition.topicId().equals(plan.topic())
                        && partition.highWatermarkSeen() >= 0
                        && !partition.isOffline();
        if (open) {
            String hole = facts().logs().of(broker.id(), plan.id()).hole();
            if (hole.isEmpty()) {
                broker.hasNoHole(plan.id());
            } else if (broker.mayHaveHole(plan.id())) {
                return; // Nobody may touch what lies behind before its leader has answered.
            }
            require(hole.isEmpty(), () -> broker.machine() + ", " + plan.id() + ": " + hole);
        }
    }
}
