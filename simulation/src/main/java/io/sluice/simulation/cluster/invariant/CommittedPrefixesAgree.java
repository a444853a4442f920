package io.sluice.simulation.cluster.invariant;

import io.sluice.node.Node;
import io.sluice.partition.Partition;
import io.sluice.simulation.cluster.Facts;
import io.sluice.simulation.cluster.History;
import io.sluice.simulation.cluster.PartitionLife;
import io.sluice.simulation.cluster.ReplicaLog;
import io.sluice.simulation.cluster.SimBroker;
import io.sluice.simulation.cluster.StoredPlan;
import org.jspecify.annotations.Nullable;

/// What one reader was given at an offset, all are given; and what a broker holds for committed is that.
public final class CommittedPrefixesAgree extends ClusterInvariant {
    public CommittedPrefixesAgree(Facts facts) {
        super(facts);
    }

    @Override
    public void contradicted(PartitionLife partition, History.Committed before, String now) {
        require(false, () -> partition + ": " + before + ", and now " + now);
    }

    @Override
    public void checkpoint() {
        for (SimBroker broker : facts().cluster().brokers()) {
            Node node = broker.node();
            if (node != null) {
                for (StoredPlan plan : facts().plans().all()) {
                    check(broker, plan, node.partitions().find(plan.id()));
                }
            }
        }
    }

    private void check(SimBroker broker, StoredPlan plan, @Nullable Partition partition) {
        if (partition == null || !partition.topicId().equals(plan.topic())) {
            return;
        }
        long watermark = partition.highWatermarkSeen();
        ReplicaLog log = facts().logs().of(broker.id(), plan.id());
        for (History.Committed batch : facts().history().committed(plan.life())) {
            if (batch.nextOffset() > watermark) {
                return;
            }
            require(
                    log.has(batch),
                    () ->
                            broker.machine()
                                    + " holds "
                                    + plan.id()
                                    + " for committed up to "
                                    + watermark
                                    + " and has at "
                                    + batch.baseOffset()
                                    + " "
                                    + log.find(batch.baseOffset())
                                    + " instead of "
                                    + batch);
        }
    }
}
