package io.sluice.simulation.cluster;

import io.sluice.node.Node;
import io.sluice.simulation.disk.SimDisk;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Counts what the cluster does to stay whole and to grow, so that a green run can be seen to have tested it. Owned by its run.
final class Upkeep {
    private final Cluster cluster;

    /// What a partition's replicas were before some of them were to be made anew, the brokers of others being away.
    private final Map<PartitionLife, List<Integer>> renewed = new HashMap<>();

    private final Set<Integer> joined = new TreeSet<>();
    private final Map<Integer, Repaired> repaired = new HashMap<>();

    /// As of the last look.
    private record Repaired(SimDisk disk, int life, long places, boolean rotten) {
        @SuppressWarnings("ReferenceEquality") // The same disk, not one that looks alike.
        boolean isOf(SimDisk now) {
            return disk == now;
        }
    }

    Upkeep(Cluster cluster) {
        this.cluster = cluster;
    }

    /// A replica is made anew when another broker gets it in the place of one that is away: people hardly ever move just that one.
    void planChanged(StoredPlan before, StoredPlan after) {
        if (before.adding().isEmpty() && !after.adding().isEmpty()) {
            renewed.remove(after.life());
            if (after.removing().stream().allMatch(id -> cluster.broker(id).isAway())) {
                renewed.put(after.life(), before.replicas());
            }
        }
        if (!before.adding().isEmpty() && after.adding().isEmpty()) {
            List<Integer> old = renewed.remove(after.life());
            if (old != null && isOneReplaced(old, after.replicas())) {
                cluster.count("replicas made anew");
            }
        }
    }

    /// All others have kept their places.
    private static boolean isOneReplaced(List<Integer> before, List<Integer> after) {
        int replaced = 0;
        for (int place = 0; place < Math.min(before.size(), after.size()); place++) {
            replaced += before.get(place).equals(after.get(place)) ? 0 : 1;
        }
        return before.size() == after.size() && replaced == 1;
    }

    /// It counts as having everything: also one that was not there at the beginning.
    void counted(StoredPlan plan, SimBroker broker) {
        if (broker.id() > cluster.shape().brokers()
                && plan.inSync().contains(broker.id())
                && joined.add(broker.id())) {
            cluster.count("brokers that joined");
        }
    }

    /// Now and then.
    void look() {
        for (SimBroker broker : cluster.brokers()) {
            Node node = broker.node();
            if (node != null) {
                look(broker, node.shardCounters().damagesRepaired.sum());
            }
        }
    }

    private void look(SimBroker broker, long places) {
        boolean rotten = broker.disk().isRotten();
        Repaired now = new Repaired(broker.disk(), broker.lives(), places, rotten);
        Repaired before = repaired.put(broker.id(), now);
        if (before != null && before.isOf(now.disk) && before.rotten && !rotten) {
            boolean byItself = places > (before.life == now.life ? before.places : 0);
            if (byItself) {
                cluster.count("damage mended");
            }
        }
    }
}
