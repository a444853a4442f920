package io.sluice.simulation.cluster.invariant;

import io.sluice.simulation.cluster.Facts;
import io.sluice.simulation.cluster.History;
import io.sluice.simulation.cluster.PartitionLife;
import io.sluice.simulation.cluster.ReplicaLog;
import io.sluice.simulation.cluster.SimBroker;
import io.sluice.simulation.cluster.StoredPlan;
import java.util.ArrayList;
import java.util.List;

/// What a producer was told is safe is on some disk, and stays where it was said to be.
public final class AcknowledgedIsNeverLost extends ClusterInvariant {
    public AcknowledgedIsNeverLost(Facts facts) {
        super(facts);
    }

    @Override
    public void contradicted(PartitionLife partition, History.Committed before, String now) {
        require(
                !before.proof().startsWith("ack"),
                () -> partition + ": " + before + ", and now " + now);
    }

    @Override
    public void checkpoint() {
        for (StoredPlan plan : facts().plans().all()) {
            List<ReplicaLog> logs = new ArrayList<>();
            for (SimBroker broker : facts().cluster().brokers()) {
                logs.add(facts().logs().of(broker.id(), plan.id()));
            }
            for (History.Committed batch : facts().history().committed(plan.life())) {
                require(
                        isInOneOf(logs, batch),
                        () -> plan.life() + ": " + batch + " is on no disk any more");
            }
        }
    }

    private static boolean isInOneOf(List<ReplicaLog> logs, History.Committed batch) {
        for (ReplicaLog log : logs) {
            if (log.has(batch)) {
                return true;
            }
        }
        return false;
    }
}
