package io.sluice.simulation.cluster;

import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.coordination.SimStore;
import io.sluice.simulation.network.Ways;
import java.time.Duration;

/// What is done to the metadata store, and to brokers' sessions with it. Owned by its run.
final class StoreFaults {
    private final Means means;
    private final Cluster cluster;
    private final SimEntropy entropy;

    StoreFaults(Means means) {
        this.means = means;
        this.cluster = means.cluster();
        this.entropy = means.entropy();
    }

    private Ways ways() {
        return cluster.network().ways();
    }

    boolean cut(SimBroker broker) {
        cluster.tell(() -> "cut " + broker.machine() + " from the store");
        boolean oneWay = entropy.oneIn(3);
        ways().cut(broker.machine(), SimStore.MACHINE);
        if (!oneWay) {
            ways().cut(SimStore.MACHINE, broker.machine());
        }
        means.after(
                means.duration(),
                () -> {
                    ways().open(broker.machine(), SimStore.MACHINE);
                    ways().open(SimStore.MACHINE, broker.machine());
                });
        return true;
    }

    boolean disconnect(SimBroker broker) {
        cluster.tell(() -> "break the store connection of " + broker.machine());
        cluster.store().disconnect(broker.machine());
        return true;
    }

    boolean expire(SimBroker broker) {
        cluster.tell(() -> "expire the session of " + broker.machine());
        cluster.store().expire(broker.machine());
        return true;
    }

    boolean down() {
        if (!cluster.store().isAvailable()) {
            return false;
        }
        cluster.tell(() -> "the store is down");
        cluster.store().down();
        means.after(means.duration(), cluster.store()::up);
        return true;
    }

    boolean slow(SimBroker broker) {
        cluster.store().slowNews(broker.machine(), Duration.ofMillis(entropy.between(50, 2_500)));
        means.after(
                means.duration(), () -> cluster.store().slowNews(broker.machine(), Duration.ZERO));
        return true;
    }

    /// Sessions live longer than they should.
    boolean elect() {
        cluster.store().up();
        return true;
    }
}
