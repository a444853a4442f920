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

/// In one epoch of a partition one process leads: not two brokers, and not the same one after a restart.
public final class OneLeaderPerEpoch extends ClusterInvariant {
    private final Map<Term, Life> leaders = new HashMap<>();
    private final Map<Term, Integer> planned = new HashMap<>();

    private record Term(PartitionLife partition, int epoch) {}

    private record Life(int broker, int number) {}

    public OneLeaderPerEpoch(Facts facts) {
        super(facts);
    }

    @Override
    public void planChanged(@Nullable StoredPlan before, StoredPlan after) {
        if (after.leader() >= 0) {
            Term term = new Term(after.life(), after.epoch());
            Integer known = planned.putIfAbsent(term, after.leader());
            require(
                    known == null || known == after.leader(),
                    () -> term + " was given to " + known + " and to " + after.leader());
        }
    }

    @Override
    public void brokerRan(SimBroker broker, Node node) {
        for (StoredPlan plan : facts().plans().all()) {
            Partition partition = node.partitions().find(plan.id());
            if (partition != null && partition.isLeaderHere()) {
                PartitionLife of = new PartitionLife(partition.topicId(), plan.id());
                Term term = new Term(of, partition.leaderEpoch());
                Life life = new Life(broker.id(), broker.lives());
                Life known = leaders.putIfAbsent(term, life);
                require(
                        known == null || known.equals(life),
                        () -> term + " is led by " + known + " and by " + life);
            }
        }
    }
}
