package io.sluice.simulation.cluster;

import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.cluster.client.SimAdmin;
import java.time.Duration;
import java.util.List;

/// Who belongs to the cluster changes: a broker stays away for so long that it is given up, a new one joins, one is removed. Owned by its run.
///
/// A removal goes on by itself, each step when the one before has worked, and is given up when that takes too long:
/// ```
///   drained ──▶ has no replica ──▶ stopped in order ──▶ unregistered ──▶ gone, or an empty machine gets its id, or it comes back as it is
///      └─ too slow: taken in again     └─ too slow: started again
/// ```
final class MembershipFaults {
    private static final int LOOK_MILLIS = 500;

    /// How often a step of a removal is looked at before it is given up.
    private static final int PATIENCE = 30;

    private static final String MEMBERS = "/members/";

    private final Means means;
    private final Facts facts;
    private final Cluster cluster;
    private final SimEntropy entropy;
    private final GoodCopies copies;
    private final SimAdmin admin;
    private final PeopleFaults people;

    MembershipFaults(
            Means means, Facts facts, GoodCopies copies, SimAdmin admin, PeopleFaults people) {
        this.means = means;
        this.facts = facts;
        this.cluster = means.cluster();
        this.entropy = means.entropy();
        this.copies = copies;
        this.admin = admin;
        this.people = people;
    }

    /// For longer than the others wait for it, where they can make its replicas anew. One at a time.
    boolean leaveForLong(SimBroker broker) {
        Care care = cluster.shape().care();
        if (!care.replaces() || !broker.isUp() || !canSpareOne()) {
            return false;
        }
        broker.stayAway();
        if (entropy.chance(50) && copies.mayLosePower(broker)) {
            broker.losePower();
        } else {
            broker.kill();
        }
        int millis = (int) care.replaceAfter().toMillis() + entropy.between(3_000, 12_000);
        means.after(
                millis,
                () -> {
                    broker.comeBack();
                    broker.start();
                });
        return true;
    }

    private boolean canSpareOne() {
        long present = cluster.brokers().stream().filter(broker -> !broker.isAway()).count();
        return present > cluster.shape().topic().replicas()
                && cluster.brokers().stream()
                        .allMatch(broker -> broker.isRemoved() || !broker.isAway());
    }

    /// One more than there were, once.
    boolean join() {
        if (cluster.brokers().size() > cluster.shape().brokers()) {
            return false;
        }
        SimBroker broker = cluster.addBroker();
        cluster.tell(() -> broker.machine() + " is new");
        broker.start();
        means.after(entropy.between(500, 8_000), admin::rebalance);
        return true;
    }

    boolean remove(SimBroker broker) {
        if (!broker.isUp() || !canSpareOne() || !people.beginDrain(broker)) {
            return false;
        }
        awaitEmpty(broker, PATIENCE);
        return true;
    }

    private void awaitEmpty(SimBroker broker, int patience) {
        if (patience == 0) {
            people.takeIn(broker.id());
        } else if (hasReplica(broker) || !broker.isUp() || broker.isPaused() || !canSpareOne()) {
            means.after(LOOK_MILLIS, () -> awaitEmpty(broker, patience - 1));
        } else {
            broker.stayAway();
            broker.stopInOrder(Duration.ofSeconds(5), () -> {});
            awaitStop(broker, PATIENCE);
        }
    }

    private boolean hasReplica(SimBroker broker) {
        return facts.plans().all().stream().anyMatch(plan -> plan.replicas().contains(broker.id()));
    }

    private void awaitStop(SimBroker broker, int patience) {
        if (!isMember(broker)) {
            forgotten(broker);
        } else if (patience == 0) {
            broker.comeBack();
            broker.start();
            people.takeIn(broker.id());
        } else {
            if (!broker.isUp()) {
                admin.unregister(broker.id());
            }
            means.after(LOOK_MILLIS, () -> awaitStop(broker, patience - 1));
        }
    }

    private boolean isMember(SimBroker broker) {
        return cluster.store().all().containsKey(MEMBERS + broker.id());
    }

    private void forgotten(SimBroker broker) {
        cluster.tell(() -> broker.machine() + " is no part of the cluster any more");
        cluster.count("brokers that were removed");
        broker.remove();
        people.forgotten(broker);
        switch (entropy.pick(List.of(Afterwards.values()))) {
            case GONE -> {}
            case ANOTHER_MACHINE -> {
                broker.wipe();
                returns(broker);
            }
            case AS_IT_IS -> returns(broker);
        }
    }

    private void returns(SimBroker broker) {
        means.after(
                entropy.between(100, 8_000),
                () -> {
                    cluster.count("ids of removed brokers that were used again");
                    broker.getsItsIdBack();
                    broker.start();
                });
    }

    private enum Afterwards {
        GONE,
        ANOTHER_MACHINE,
        AS_IT_IS
    }
}
