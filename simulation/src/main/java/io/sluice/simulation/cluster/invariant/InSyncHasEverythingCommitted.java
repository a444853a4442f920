package io.sluice.simulation.cluster.invariant;

import io.sluice.simulation.cluster.Facts;
import io.sluice.simulation.cluster.History;
import io.sluice.simulation.cluster.ReplicaLog;
import io.sluice.simulation.cluster.SimBroker;
import io.sluice.simulation.cluster.StoredPlan;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Whoever may become leader without loss has everything that is committed: the in-sync set and those who are eligible.
public final class InSyncHasEverythingCommitted extends ClusterInvariant {
    public InSyncHasEverythingCommitted(Facts facts) {
        super(facts);
    }

    @Override
    public void planChanged(@Nullable StoredPlan before, StoredPlan after) {
        check(after);
    }

    @Override
    public void checkpoint() {
        facts().plans().all().forEach(this::check);
    }

    private void check(StoredPlan plan) {
        List<Integer> trusted = new ArrayList<>(plan.inSync());
        trusted.addAll(plan.eligible());
        for (int id : trusted) {
            SimBroker broker = facts().cluster().broker(id);
            if (!facts().mayLack(broker, plan)) {
                check(plan, broker);
            }
        }
    }

    private void check(StoredPlan plan, SimBroker broker) {
        ReplicaLog log = facts().logs().of(broker.id(), plan.id());
        for (History.Committed batch : facts().history().committed(plan.life())) {
            require(
                    log.has(batch),
                    () ->
                            broker.machine()
                                    + " counts in "
                                    + plan
                                    + " and lacks "
                                    + batch
                                    + "; its log ends at "
                                    + log.endOffset()
                                    + " and has there "
                                    + log.find(batch.baseOffset()));
        }
    }
}
