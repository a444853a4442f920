package io.sluice.simulation.cluster.invariant;

import io.sluice.node.Node;
import io.sluice.partition.Partition;
import io.sluice.simulation.cluster.Facts;
import io.sluice.simulation.cluster.PartitionLife;
import io.sluice.simulation.cluster.SimBroker;
import io.sluice.simulation.cluster.StoredPlan;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Terms of leaders and changes of the plan count up: in the store, and in every broker's mind.
public final class EpochsGrow extends ClusterInvariant {
    private final Map<Key, Seen> known = new HashMap<>();

    private record Key(int broker, PartitionLife partition) {}

    private record Seen(int life, int epoch) {}

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
            if (partition != null
                    && now >= 0) { // Otherwise it has come back to this broker and was not told
                // yet.
                Key key = new Key(broker.id(), new PartitionLife(partition.topicId(), plan.id()));
                Seen before = known.put(key, new Seen(broker.lives(), now));
                require(
                        before == null || before.life < broker.lives() || before.epoch <= now,
                        () -> key + " was in epoch " + before + " and is in " + now);
            }
        }
    }
}
