package io.sluice.simulation.cluster;

import io.sluice.partition.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// When nothing is broken any more, every partition has its leader, all replicas are in sync, and all of them are equal. Owned by its run.
final class EveryoneCatchesUp {
    private static final String DELETIONS = "/deletions/";

    private final Cluster cluster;
    private final Facts facts;

    EveryoneCatchesUp(Cluster cluster, Facts facts) {
        this.cluster = cluster;
        this.facts = facts;
    }

    /// A person would restart a broker whose disk has failed, once it is mended.
    void begin() {
        for (SimBroker broker : cluster.brokers()) {
            if (isOffline(broker)) {
                broker.kill();
                broker.startIn(Duration.ofSeconds(1));
            }
        }
    }

    private boolean isOffline(SimBroker broker) {
        io.sluice.node.Node node = broker.node();
        if (node == null) {
            return false;
        }
        for (StoredPlan plan : facts.plans().all()) {
            Partition partition = node.partitions().find(plan.id());
            if (partition != null && partition.isOffline()) {
                return true;
            }
        }
        return false;
    }

    /// What is not as it should be; empty when all is well.
    List<String> wrong() {
        List<String> wrong = new ArrayList<>();
        for (String path : cluster.store().all().tailMap(DELETIONS).keySet()) {
            if (path.startsWith(DELETIONS)) {
                wrong.add("data of deleted topics is still somewhere, by " + path);
            }
        }
        for (SimBroker broker : cluster.brokers()) {
            addRotten(broker, wrong);
        }
        for (StoredPlan plan : facts.plans().all()) {
            if (plan.leader() < 0) {
                wrong.add(plan.id() + " has no leader");
            } else if (plan.inSync().size() < plan.replicas().size()) {
                wrong.add("not all are in sync: " + plan);
            } else {
                compare(plan, wrong);
            }
        }
        return wrong;
    }

    /// What nobody reads any more may rot: a broker keeps what it has of a replica that was moved or deleted while it was away.
    private void addRotten(SimBroker broker, List<String> wrong) {
        for (String path : broker.disk().rottenFiles()) {
            for (StoredPlan plan : facts.plans().all()) {
                if (plan.replicas().contains(broker.id())
                        && path.startsWith(plan.id() + "/")
                        && facts.opened().isOf(broker, plan)) {
                    wrong.add("nobody has mended " + path + " of " + broker.machine());
                }
            }
        }
    }

    private void compare(StoredPlan plan, List<String> wrong) {
        List<ReplicaLog.Stored> leading = facts.logs().of(plan.leader(), plan.id()).batches();
        for (int replica : plan.replicas()) {
            List<ReplicaLog.Stored> own = facts.logs().of(replica, plan.id()).batches();
            boolean same = own.size() == leading.size();
            for (int i = 0; same && i < own.size(); i++) {
                same = own.get(i).isSameAs(leading.get(i));
            }
            if (!same) {
                wrong.add(
                        plan.id()
                                + ": "
                                + replica
                                + " has "
                                + own.size()
                                + " batches, its leader "
                                + leading.size());
            }
        }
    }
}
