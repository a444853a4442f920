package io.sluice.simulation.cluster;

import io.sluice.node.Node;
import io.sluice.simulation.disk.SimDisk;
import java.util.ArrayList;
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
    private record Repaired(SimDisk disk, int life, long places, boolean rotten) {}

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
            if (old != null) {
                for (int place = 0; place < old.size(); place++) {
                    countRenewed(old, after.replicas(), place);
                }
            }
        }
    }

    /// All others have kept their places.
    private void countRenewed(List<Integer> before, List<Integer> after, int place) {
        List<Integer> others = new ArrayList<>(before);
        List<Integer> othersNow = new ArrayList<>(after);
        if (before.size() == after.size() && !before.get(place).equals(after.get(place))) {
            others.remove(place);
            othersNow.remove(place);
            if (others.equals(othersNow)) {
                cluster.count("replicas made anew");
            }
        }
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
        if (before != null && before.disk == now.disk && before.rotten && !rotten) {
            boolean byItself = places > (before.life == now.life ? before.places : 0);
            if (byItself) {
                cluster.count("damage mended");
            }
        }
    }
}
