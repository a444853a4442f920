package io.sluice.simulation.cluster;

import io.sluice.controller.TopicNames;
import io.sluice.env.Coordination;
import io.sluice.record.PartitionId;
import io.sluice.simulation.cluster.client.SimAdmin;
import io.sluice.simulation.cluster.client.SimCommitter;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// Where a [Plot] plays: a cluster in which clients are at work. Owned by its run.
///
/// @param time lets everybody go on for so long
record Stage(
        Cluster cluster,
        Facts facts,
        SimAdmin admin,
        SimCommitter committer,
        Consumer<Duration> time) {
    private static final Duration STEP = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofSeconds(30);

    void advance(Duration span) {
        time.accept(span);
    }

    /// Goes on until something is so. False when it is not after all this time.
    boolean advanceUntil(Duration limit, BooleanSupplier reached) {
        long steps = limit.dividedBy(STEP);
        for (long i = 0; i < steps && !reached.getAsBoolean(); i++) {
            advance(STEP);
        }
        return reached.getAsBoolean();
    }

    /// What the store says of a partition of the topic.
    StoredPlan plan(int index) {
        PartitionId id = new PartitionId(cluster.shape().topic().name(), index);
        StoredPlan plan = facts.plans().find(id);
        if (plan == null) {
            throw new IllegalStateException("no plan of " + id);
        }
        return plan;
    }

    /// The topic goes, and its clients look for another one of its name.
    void deleteTopic() {
        UUID topic = plan(0).topic();
        BooleanSupplier isGone = () -> !cluster.generations().isPresent(topic);
        admin.delete(topic, isGone, () -> {});
        advanceUntil(LONG, isGone);
    }

    /// False when it cannot be made.
    boolean makeTopic(int partitions) {
        AtomicBoolean made = new AtomicBoolean();
        admin.create(cluster.topic(partitions), () -> made.set(true));
        return advanceUntil(LONG, made::get);
    }

    /// The broker that leads the partition of all groups, or -1.
    int coordinator() {
        StoredPlan plan = facts.plans().find(new PartitionId(TopicNames.OFFSETS, 0));
        return plan == null ? -1 : plan.leader();
    }

    /// The broker that the store names as the controller, or -1.
    int controller() {
        Coordination.Node node = cluster.store().all().get("/controller");
        return node == null ? -1 : Integer.parseInt(node.value().strip());
    }

    /// The controller has admitted a registration of the broker that has not ended.
    boolean isAdmitted(int broker) {
        Coordination.Node registered = cluster.store().all().get("/brokers/" + broker);
        Coordination.Node member = cluster.store().all().get("/members/" + broker);
        return registered != null
                && member != null
                && member.value().contains("epoch " + registered.created() + "\n");
    }

    /// Everything is mended that a person or time would mend.
    void mend() {
        Nemesis.mend(cluster);
    }
}
