package io.sluice.simulation.cluster;

import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.cluster.client.SimAdmin;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/// What operators do to a running cluster, at the worst of times. Owned by its run.
final class PeopleFaults {
    private static final long NO_LIMIT = 0;

    private final Means means;
    private final Facts facts;
    private final Cluster cluster;
    private final SimEntropy entropy;
    private final SimAdmin admin;
    private final TopicShape topic;
    private final Set<Integer> draining = new TreeSet<>();

    PeopleFaults(Means means, Facts facts, SimAdmin admin) {
        this.means = means;
        this.facts = facts;
        this.cluster = means.cluster();
        this.entropy = means.entropy();
        this.admin = admin;
        this.topic = cluster.shape().topic();
    }

    boolean elect() {
        admin.electPreferred(topic.name(), entropy.below(topic.partitions()));
        return true;
    }

    /// One move in four is taken back instead.
    boolean move() {
        if (cluster.shape().brokers() == topic.replicas()) {
            return false;
        }
        List<Integer> brokers = new ArrayList<>();
        cluster.brokers().forEach(broker -> brokers.add(broker.id()));
        Collections.shuffle(brokers, new Random(entropy.nextLong()));
        boolean takeBack = entropy.oneIn(4);
        admin.move(
                topic.name(),
                entropy.below(topic.partitions()),
                takeBack ? null : brokers.subList(0, topic.replicas()));
        return true;
    }

    /// So slowly that it may not be done when the limit is lifted, when it is taken back or when another fault strikes.
    boolean moveSlowly() {
        if (cluster.shape().brokers() == topic.replicas()) {
            return false;
        }
        admin.limitMoves(entropy.pick(List.of(100L, 2_000L, 50_000L)));
        means.after(means.duration(), () -> admin.limitMoves(NO_LIMIT));
        return move();
    }

    /// Where there are more brokers than replicas it is emptied; otherwise it only leads nothing. One at a time, and taken in again.
    boolean drain(SimBroker broker) {
        if (!draining.isEmpty()) {
            return false;
        }
        draining.add(broker.id());
        admin.drain(broker.id());
        means.after(means.duration(), () -> takeIn(broker.id()));
        return true;
    }

    private void takeIn(int broker) {
        draining.remove(broker);
        if (facts.plans().all().stream().noneMatch(plan -> plan.replicas().contains(broker))) {
            cluster.count("brokers that were drained to the last replica");
        }
        admin.takeIn(broker);
        if (entropy.chance(50)) {
            admin.rebalance();
        }
    }

    /// As many as the topic began with, or more. Where one is enough, the last replica standing may be one whose disk is lost, and nobody promises to survive that.
    boolean alterMinInSync() {
        admin.alterMinInSync(topic.name(), entropy.between(topic.minInSync(), topic.replicas()));
        return true;
    }

    /// Nothing is held back any more, and every broker takes part.
    void settle() {
        admin.settle();
    }
}
