package io.sluice.simulation.cluster.invariant;

import io.sluice.node.Node;
import io.sluice.partition.Partition;
import io.sluice.simulation.cluster.Facts;
import io.sluice.simulation.cluster.SimBroker;
import io.sluice.simulation.cluster.StoredPlan;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Terms of leaders and changes of the plan count up: in the store, and in every broker's mind.
public final class EpochsGrow extends ClusterInvariant {
    private final Map<String, Integer> known = new HashMap<>();

    public EpochsGrow(Facts facts) {
        super(facts);
    }

    @Override
    public void planChanged(@Nullable StoredPlan before, StoredPlan after) {
        if (before == null) {
            return;
        }
        require(
                after.change() > before.change()
                        && (after.epoch() > before.epoch()
                                || (after.epoch() == before.epoch()
                                        && after.leader() == before.leader())),
                () -> before + " became " + after);
    }

    @Override
    public void brokerRan(SimBroker broker, Node node) {
        for (StoredPlan plan : facts().plans().all()) {
            Partition partition = node.partitions().find(plan.id());
            int now = partition == null ? -1 : partition.leaderEpoch();
            if (now >= 0) { // Otherwise it has come back to this broker and was not told yet.
                String key = broker.id() + "/" + broker.lives() + " " + plan.id();
                Integer before = known.put(key, now);
                require(
                        before == null || before <= now,
                        () -> key + " was in epoch " + before + " and is in " + now);
            }
        }
    }
}
