package io.sluice.simulation.cluster.invariant;

import io.sluice.simulation.cluster.Facts;
import io.sluice.simulation.cluster.ReplicaLog;
import io.sluice.simulation.cluster.ReplicaLog.Stored;
import io.sluice.simulation.cluster.SimBroker;
import io.sluice.simulation.cluster.StoredPlan;
import java.util.List;

/// Two logs that have a batch of one epoch at one offset have the same batches up to there.
public final class NoDivergenceAfterTruncation extends ClusterInvariant {
    public NoDivergenceAfterTruncation(Facts facts) {
        super(facts);
    }

    @Override
    public void checkpoint() {
        List<SimBroker> brokers = facts().cluster().brokers();
        for (StoredPlan plan : facts().plans().all()) {
            for (int i = 0; i < brokers.size(); i++) {
                for (int j = i + 1; j < brokers.size(); j++) {
                    compareIfOpened(plan, brokers.get(i), brokers.get(j));
                }
            }
        }
    }

    /// What an earlier topic of this name has left is no log of this one.
    private void compareIfOpened(StoredPlan plan, SimBroker one, SimBroker other) {
        if (facts().opened().isOf(one, plan) && facts().opened().isOf(other, plan)) {
            compare(plan, one, other);
        }
    }

    private void compare(StoredPlan plan, SimBroker one, SimBroker other) {
        List<Stored> left = facts().logs().of(one.id(), plan.id()).batches();
        List<Stored> right = facts().logs().of(other.id(), plan.id()).batches();
        int i = left.size() - 1;
        int j = right.size() - 1;
        boolean mustAgree = false;
        while (i >= 0 && j >= 0) {
            Stored a = left.get(i);
            Stored b = right.get(j);
            if (a.baseOffset() == b.baseOffset()) {
                mustAgree |= a.epoch() == b.epoch();
                require(
                        !mustAgree || a.isSameAs(b),
                        () -> plan.id() + ": " + describe(one, a) + ", " + describe(other, b));
                i--;
                j--;
            } else {
                require(
                        !mustAgree,
                        () -> plan.id() + ": " + describe(one, a) + ", " + describe(other, b));
                if (a.baseOffset() > b.baseOffset()) {
                    i--;
                } else {
                    j--;
                }
            }
        }
    }

    private static String describe(SimBroker broker, ReplicaLog.Stored batch) {
        return broker.machine() + " has " + batch;
    }
}
