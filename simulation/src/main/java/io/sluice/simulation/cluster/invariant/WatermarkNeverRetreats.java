package io.sluice.simulation.cluster.invariant;

import io.sluice.node.Node;
import io.sluice.partition.Partition;
import io.sluice.simulation.cluster.Facts;
import io.sluice.simulation.cluster.PartitionLife;
import io.sluice.simulation.cluster.ReplicaLogs.Replica;
import io.sluice.simulation.cluster.SimBroker;
import io.sluice.simulation.cluster.StoredPlan;
import java.util.HashMap;
import java.util.Map;

/// How far a partition is committed never shrinks: for a reader in one leader's term, and for a broker in one life and term.
public final class WatermarkNeverRetreats extends ClusterInvariant {
    private final Map<String, Long> told = new HashMap<>();
    private final Map<Replica, Seen> seen = new HashMap<>();

    private record Seen(Partition partition, int epoch, long watermark) {
        /// Not after a restart, nor when the replica was moved away and came back: then it begins anew.
        @SuppressWarnings("ReferenceEquality") // The same replica, not one that looks alike.
        boolean isOf(Partition now) {
            return partition == now && epoch == now.leaderEpoch();
        }
    }

    public WatermarkNeverRetreats(Facts facts) {
        super(facts);
    }

    @Override
    public void watermark(PartitionLife partition, int epoch, long highWatermark, String reader) {
        String key = partition + " epoch " + epoch + " of " + reader;
        Long before = told.put(key, highWatermark);
        require(
                before == null || before <= highWatermark,
                () -> key + " was told " + before + " and then " + highWatermark);
    }

    @Override
    public void brokerRan(SimBroker broker, Node node) {
        for (StoredPlan plan : facts().plans().all()) {
            Partition partition = node.partitions().find(plan.id());
            long now = partition == null ? -1 : partition.highWatermarkSeen();
            if (partition == null || now < 0) {
                continue;
            }
            Replica key = new Replica(broker.id(), plan.id());
            Seen before = seen.get(key);
            int epoch = partition.leaderEpoch();
            if (before != null && before.isOf(partition)) {
                if (before.watermark == now) {
                    continue;
                }
                require(
                        before.watermark < now,
                        () ->
                                broker.machine()
                                        + " had "
                                        + plan.id()
                                        + " committed up to "
                                        + before.watermark
                                        + " and then up to "
                                        + now
                                        + " in epoch "
                                        + epoch);
            }
            seen.put(key, new Seen(partition, epoch, now));
        }
    }
}
