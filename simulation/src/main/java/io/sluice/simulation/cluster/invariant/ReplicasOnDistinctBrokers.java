package io.sluice.simulation.cluster.invariant;

import io.sluice.simulation.cluster.Facts;
import io.sluice.simulation.cluster.StoredPlan;
import java.util.HashSet;
import org.jspecify.annotations.Nullable;

/// A plan makes sense: no broker has two replicas, who leads is in sync, who is in sync has a replica.
public final class ReplicasOnDistinctBrokers extends ClusterInvariant {
    public ReplicasOnDistinctBrokers(Facts facts) {
        super(facts);
    }

    @Override
    public void planChanged(@Nullable StoredPlan before, StoredPlan after) {
        int replicas = after.replicas().size();
        require(
                new HashSet<>(after.replicas()).size() == replicas
                        && new HashSet<>(after.inSync()).size() == after.inSync().size(),
                () -> "a broker twice in " + after);
        require(
                after.leader() < 0 || after.inSync().contains(after.leader()),
                () -> "the leader is not in sync in " + after);
        require(
                after.replicas().containsAll(after.inSync())
                        && after.replicas().containsAll(after.eligible())
                        && after.replicas().containsAll(after.adding())
                        && after.replicas().containsAll(after.removing()),
                () -> "a stranger in " + after);
        require(
                replicas - after.adding().size() > 0 && replicas - after.removing().size() > 0,
                () -> "nothing stays of " + after);
    }
}
