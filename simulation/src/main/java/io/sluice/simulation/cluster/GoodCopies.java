package io.sluice.simulation.cluster;

import io.sluice.record.PartitionId;
import java.util.Set;
import java.util.TreeSet;

/// Who has everything, so that another one may lose what it has: nobody promises to survive the loss of the last good copy. Owned by its run.
final class GoodCopies {
    private final Cluster cluster;
    private final Facts facts;
    private final Set<Integer> wiped = new TreeSet<>();

    GoodCopies(Cluster cluster, Facts facts) {
        this.cluster = cluster;
        this.facts = facts;
    }

    /// Its disk is gone; the next one may be when all that was on this one has been copied again.
    void wiped(SimBroker broker) {
        wiped.add(broker.id());
    }

    /// Page-cache topics promise to survive as many losses at a time as leave one member of the in-sync set; the others all.
    boolean mayLosePower(SimBroker broker) {
        return !cluster.shape().topic().pageCache() || hasGoodCopyElsewhere(broker, true);
    }

    boolean hasGoodCopyElsewhere(SimBroker broker, boolean power) {
        for (StoredPlan plan : facts.plans().all()) {
            boolean pageCache = facts.isPageCache(plan);
            if (power && !pageCache) {
                continue;
            }
            boolean good = false;
            for (int id : plan.inSync()) {
                good |= id != broker.id() && isGood(cluster.broker(id), pageCache);
            }
            if (!good) {
                return false;
            }
        }
        return true;
    }

    /// Whether another replica has this batch: what was not committed yet may be on one disk only, and is lost with it.
    boolean hasElsewhere(SimBroker broker, PartitionId id, ReplicaLog.Stored batch) {
        for (SimBroker other : cluster.brokers()) {
            if (other != broker
                    && facts.logs().of(other.id(), id).batches().stream()
                            .anyMatch(batch::isSameAs)) {
                return true;
            }
        }
        return false;
    }

    /// Where a disk has failed, the next crash of its process counts as a power loss (docs/known-weaknesses.md): it is not to be relied on for what is in the page cache.
    private static boolean isGood(SimBroker broker, boolean pageCache) {
        boolean counts = !pageCache || !broker.disk().hasForceFailed();
        return counts && !broker.isMissingData(pageCache) && !broker.disk().isRotten();
    }

    boolean areOthersWhole(SimBroker broker) {
        wiped.removeIf(id -> !cluster.broker(id).isMissingData(false) && isInSyncEverywhere(id));
        for (SimBroker other : cluster.brokers()) {
            if (other != broker && other.disk().isRotten()) {
                return false;
            }
        }
        return wiped.isEmpty() || wiped.equals(Set.of(broker.id()));
    }

    private boolean isInSyncEverywhere(int id) {
        for (StoredPlan plan : facts.plans().all()) {
            if (plan.replicas().contains(id) && !plan.inSync().contains(id)) {
                return false;
            }
        }
        return true;
    }
}
