package io.sluice.simulation.cluster.invariant;

import io.sluice.record.PartitionId;
import io.sluice.simulation.cluster.Facts;
import io.sluice.simulation.cluster.History;
import io.sluice.simulation.cluster.ReplicaLog;
import io.sluice.simulation.cluster.SimBroker;
import java.util.ArrayList;
import java.util.List;

/// What a producer was told is safe is on some disk, and stays where it was said to be.
public final class AcknowledgedIsNeverLost extends ClusterInvariant {
    public AcknowledgedIsNeverLost(Facts facts) {
        super(facts);
    }

    @Override
    public void contradicted(PartitionId partition, History.Committed before, String now) {
        require(
                !before.proof().startsWith("ack"),
                () -> partition + ": " + before + ", and now " + now);
    }

    @Override
    public void checkpoint() {
        for (PartitionId partition : facts().history().partitions()) {
            List<ReplicaLog> logs = new ArrayList<>();
            for (SimBroker broker : facts().cluster().brokers()) {
                logs.add(facts().logs().of(broker.id(), partition));
            }
            for (History.Committed batch : facts().history().committed(partition)) {
                require(
                        isInOneOf(logs, batch),
                        () -> partition + ": " + batch + " is on no disk any more");
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
