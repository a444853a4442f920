package io.sluice.simulation.cluster;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Node;
import io.sluice.record.RecordBatch;
import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.cluster.invariant.AcknowledgedIsNeverLost;
import io.sluice.simulation.cluster.invariant.AcksAreDurableOnMinInSync;
import io.sluice.simulation.cluster.invariant.BoundsHold;
import io.sluice.simulation.cluster.invariant.ClusterInvariant;
import io.sluice.simulation.cluster.invariant.CommittedPrefixesAgree;
import io.sluice.simulation.cluster.invariant.EpochsGrow;
import io.sluice.simulation.cluster.invariant.InSyncHasEverythingCommitted;
import io.sluice.simulation.cluster.invariant.LogsHaveNoHoles;
import io.sluice.simulation.cluster.invariant.NoDivergenceAfterTruncation;
import io.sluice.simulation.cluster.invariant.NoDuplicateUnderIdempotence;
import io.sluice.simulation.cluster.invariant.OneControllerWritesPerEpoch;
import io.sluice.simulation.cluster.invariant.OneLeaderPerEpoch;
import io.sluice.simulation.cluster.invariant.OrderPerProducer;
import io.sluice.simulation.cluster.invariant.ReplicasOnDistinctBrokers;
import io.sluice.simulation.cluster.invariant.WatermarkNeverRetreats;
import io.sluice.simulation.coordination.SimCoordination;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Looks at everything that happens and holds it against the invariants. Owned by its run.
final class Watch implements Witness {
    private static final String MEMBERS = "/members/";

    private final Cluster cluster;
    private final Facts facts;
    private final List<ClusterInvariant> invariants;
    private final Upkeep upkeep;

    /// @param wanted by name; a test that shows that one invariant alone would find a mistake leaves others out
    Watch(Cluster cluster, Predicate<String> wanted) {
        this.cluster = cluster;
        this.facts =
                new Facts(
                        cluster,
                        new History(),
                        new StoredPlans(),
                        new ReplicaLogs(cluster),
                        new OpenedLogs(cluster));
        this.upkeep = new Upkeep(cluster);
        this.invariants =
                all(facts).stream()
                        .filter(invariant -> wanted.test(invariant.getClass().getSimpleName()))
                        .toList();
        cluster.store().observer(this::storeChanged);
    }

    private static List<ClusterInvariant> all(Facts facts) {
        return List.of(
                new AcknowledgedIsNeverLost(facts),
                new CommittedPrefixesAgree(facts),
                new OneLeaderPerEpoch(facts),
                new WatermarkNeverRetreats(facts),
                new NoDivergenceAfterTruncation(facts),
                new InSyncHasEverythingCommitted(facts),
                new ReplicasOnDistinctBrokers(facts),
                new OneControllerWritesPerEpoch(facts),
                new EpochsGrow(facts),
                new NoDuplicateUnderIdempotence(facts),
                new OrderPerProducer(facts),
                new AcksAreDurableOnMinInSync(facts),
                new LogsHaveNoHoles(facts),
                new BoundsHold(facts));
    }

    Facts facts() {
        return facts;
    }

    /// After every event.
    void afterEvent() {
        String loss = SimLog.takeLoss();
        SimBroker broker = cluster.brokerOf(cluster.world().lastRun());
        if (broker == null) {
            return;
        }
        SimLog.throwBug();
        if (loss != null && !broker.hasLostFiles()) {
            throw new InvariantBroken("NoLossIsMadeUp", loss);
        }
        broker.look();
        io.sluice.node.Node node = broker.node();
        if (node != null) {
            for (ClusterInvariant invariant : invariants) {
                invariant.brokerRan(broker, node);
            }
        }
    }

    void checkpoint() {
        facts.opened().look(facts.plans().all());
        facts.plans().all().forEach(this::count);
        upkeep.look();
        invariants.forEach(ClusterInvariant::checkpoint);
    }

    private void storeChanged(
            @Nullable SimCoordination by,
            List<Change> changes,
            SortedMap<String, Node> before,
            SortedMap<String, Node> after) {
        for (Change change : changes) {
            if (change.path().startsWith(MEMBERS)) {
                memberChanged(change.path(), after);
            }
        }
        if (by != null) {
            invariants.forEach(one -> one.storeChanged(by, changes, before, after));
        }
        facts.plans().take(before, after, this::planChanged);
    }

    /// When a registration is admitted, what its disk has lost is known.
    private void memberChanged(String path, SortedMap<String, Node> after) {
        String id = path.substring(MEMBERS.length());
        Node member = after.get(path);
        Node registered = after.get("/brokers/" + id);
        if (member != null
                && registered != null
                && member.value().contains("epoch " + registered.created() + "\n")) {
            cluster.broker(Integer.parseInt(id)).admitted(registered.value());
        }
    }

    /// Who is counted as having everything.
    private void count(StoredPlan plan) {
        for (SimBroker broker : cluster.brokers()) {
            boolean counts =
                    plan.inSync().contains(broker.id()) || plan.eligible().contains(broker.id());
            broker.counted(plan.id(), counts);
            upkeep.counted(plan, broker);
        }
    }

    private void planChanged(@Nullable StoredPlan before, @Nullable StoredPlan after) {
        if (after == null) {
            if (before != null) {
                cluster.tell(() -> "deleted: " + before.life());
                cluster.generations().deleted(before.topic());
                cluster.brokers().forEach(broker -> broker.deleted(before.id()));
            }
        } else {
            cluster.generations().made(after.id().topic(), after.topic());
            cluster.tell(() -> "plan: " + after);
            cluster.count("plan changes");
            count(after);
            if (before != null) {
                upkeep.planChanged(before, after);
            }
            invariants.forEach(one -> one.planChanged(before, after));
        }
    }

    // What clients experience.

    @Override
    public void sent(History.Sent batch) {
        facts.history().sent(batch);
    }

    @Override
    public void acked(History.Sent batch, long baseOffset, int records) {
        if (!facts.plans().has(batch.partition())) {
            cluster.count("acks of deleted topics");
            return;
        }
        History.Committed contradiction = facts.history().acked(batch, baseOffset, records);
        History.Committed now = facts.history().at(batch.partition(), baseOffset);
        cluster.tell(() -> "acked: " + batch + " at " + baseOffset);
        if (contradiction != null || now == null) {
            contradicted(batch.partition(), contradiction, "acked: " + batch + " at " + baseOffset);
            return;
        }
        for (ClusterInvariant invariant : invariants) {
            invariant.acked(now, batch);
            invariant.committed(batch.partition(), now);
        }
    }

    @Override
    public void read(PartitionLife partition, RecordBatch batch, String reader) {
        if (!facts.plans().has(partition)) {
            return;
        }
        History.Committed contradiction = facts.history().read(partition, batch, reader);
        History.Committed now = facts.history().at(partition, batch.baseOffset());
        if (contradiction != null || now == null) {
            contradicted(partition, contradiction, batch + " read by " + reader);
            return;
        }
        invariants.forEach(one -> one.committed(partition, now));
    }

    private void contradicted(
            PartitionLife partition, History.@Nullable Committed before, String now) {
        if (before != null) {
            invariants.forEach(one -> one.contradicted(partition, before, now));
        }
    }

    @Override
    public void watermark(
            PartitionLife partition, int leaderEpoch, long highWatermark, String reader) {
        invariants.forEach(one -> one.watermark(partition, leaderEpoch, highWatermark, reader));
    }
}
