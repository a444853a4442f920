package io.sluice.simulation.cluster;

import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.cluster.client.SimAdmin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/// What operators do to a running cluster, at the worst of times. Owned by its run.
final class PeopleFaults {
    private static final long NO_LIMIT = 0;
    private static final int MOST_PARTITIONS = 5;

    /// So that there is something to lose with it.
    private static final long WORTH_DELETING_NANOS = 4_000_000_000L;

    private final Means means;
    private final Facts facts;
    private final Cluster cluster;
    private final SimEntropy entropy;
    private final SimAdmin admin;
    private final TopicShape topic;
    private final Set<Integer> draining = new TreeSet<>();
    private long newSinceNanos;

    /// The topic is on its way out, or in again.
    private boolean replacing;

    PeopleFaults(Means means, Facts facts, SimAdmin admin) {
        this.means = means;
        this.facts = facts;
        this.cluster = means.cluster();
        this.entropy = means.entropy();
        this.admin = admin;
        this.topic = cluster.shape().topic();
    }

    boolean elect() {
        List<StoredPlan> present = present();
        if (present.isEmpty()) {
            return false;
        }
        admin.electPreferred(topic.name(), entropy.below(present.size()));
        return true;
    }

    /// One move in four is taken back instead.
    boolean move() {
        List<StoredPlan> present = present();
        if (cluster.brokers().size() == topic.replicas() || present.isEmpty()) {
            return false;
        }
        List<Integer> brokers = new ArrayList<>();
        cluster.brokers().forEach(broker -> brokers.add(broker.id()));
        Collections.shuffle(brokers, new Random(entropy.nextLong()));
        boolean takeBack = entropy.oneIn(4);
        admin.move(
                topic.name(),
                entropy.below(present.size()),
                takeBack ? null : brokers.subList(0, topic.replicas()));
        return true;
    }

    /// So slowly that it may not be done when the limit is lifted, when it is taken back or when another fault strikes.
    boolean moveSlowly() {
        if (cluster.brokers().size() == topic.replicas()) {
            return false;
        }
        admin.limitMoves(entropy.pick(List.of(100L, 2_000L, 50_000L)));
        means.after(means.duration(), () -> admin.limitMoves(NO_LIMIT));
        return move();
    }

    /// Where there are more brokers than replicas it is emptied; otherwise it only leads nothing. One at a time, and taken in again.
    boolean drain(SimBroker broker) {
        if (!beginDrain(broker)) {
            return false;
        }
        means.after(means.duration(), () -> takeIn(broker.id()));
        return true;
    }

    /// One at a time.
    boolean beginDrain(SimBroker broker) {
        if (!draining.isEmpty()) {
            return false;
        }
        draining.add(broker.id());
        admin.drain(broker.id());
        return true;
    }

    /// The cluster has forgotten it, and that it was drained.
    void forgotten(SimBroker broker) {
        draining.remove(broker.id());
    }

    void takeIn(int broker) {
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

    /// The topic goes with all that is in it, and some time later there is another one of the same name.
    boolean deleteAndRecreate() {
        long now = cluster.world().clock().monotonicNanos();
        List<StoredPlan> present = present();
        if (present.isEmpty() || replacing || now - newSinceNanos < WORTH_DELETING_NANOS) {
            return false;
        }
        replacing = true;
        UUID old = present.getFirst().topic();
        int partitions = entropy.between(1, 3);
        Duration away = Duration.ofMillis(entropy.pick(List.of(0, 300, 2_000, 6_000)));
        admin.delete(
                old,
                () -> !cluster.generations().isPresent(old),
                () -> admin.after(away, () -> admin.create(cluster.topic(partitions), this::made)));
        return true;
    }

    private void made() {
        replacing = false;
        newSinceNanos = cluster.world().clock().monotonicNanos();
        cluster.count("topics made again");
    }

    boolean grow() {
        int present = present().size();
        if (present == 0 || present >= MOST_PARTITIONS) {
            return false;
        }
        admin.grow(topic.name(), entropy.between(present + 1, MOST_PARTITIONS));
        return true;
    }

    private List<StoredPlan> present() {
        return facts.plans().of(topic.name());
    }

    /// Nothing is held back any more, and every broker takes part.
    void settle() {
        admin.settle();
    }
}
