package io.sluice.simulation.cluster;

import io.sluice.simulation.SimEntropy;
import java.time.Duration;
import java.util.List;

/// What is done to machines, and to the processes on them. Owned by its run.
final class MachineFaults {
    /// Beyond an hour a leader refuses what producers send: their time would be too far in its future.
    private static final int MOST_CLOCK_MILLIS = 3_000_000;

    private final Means means;
    private final Cluster cluster;
    private final SimEntropy entropy;
    private final GoodCopies copies;

    MachineFaults(Means means, GoodCopies copies) {
        this.means = means;
        this.cluster = means.cluster();
        this.entropy = means.entropy();
        this.copies = copies;
    }

    boolean killBoth(SimBroker one, SimBroker other) {
        boolean first = kill(one);
        return kill(other) || first;
    }

    boolean kill(SimBroker broker) {
        if (!broker.isUp()) {
            return false;
        }
        broker.kill();
        broker.startIn(Duration.ofMillis(entropy.pick(List.of(50, 1_000, 5_000, 12_000))));
        return true;
    }

    boolean power(SimBroker broker) {
        if (!copies.mayLosePower(broker)) {
            return false;
        }
        broker.losePower();
        broker.startIn(Duration.ofMillis(entropy.between(500, 8_000)));
        return true;
    }

    boolean powerSoon(SimBroker broker) {
        if (!broker.isUp() || cluster.shape().topic().pageCache()) {
            return false;
        }
        broker.losePowerSoon();
        return true;
    }

    boolean powerAll() {
        if (cluster.shape().topic().pageCache()) {
            return false;
        }
        for (SimBroker broker : cluster.brokers()) {
            broker.losePower();
            broker.startIn(Duration.ofMillis(entropy.between(300, 6_000)));
        }
        return true;
    }

    boolean pause(SimBroker broker) {
        if (!broker.isUp() || broker.isPaused()) {
            return false;
        }
        broker.pause();
        means.after(entropy.pick(List.of(300, 2_000, 6_000, 14_000)), broker::resume);
        return true;
    }

    /// One at a time: the next disk is lost when all that was on the last one has been copied again.
    boolean wipe(SimBroker broker) {
        if (broker.isRemoved()
                || !copies.hasGoodCopyElsewhere(broker, false)
                || !copies.areOthersWhole(broker)) {
            return false;
        }
        copies.wiped(broker);
        broker.wipe();
        broker.startIn(Duration.ofMillis(entropy.between(100, 5_000)));
        return true;
    }

    boolean restart(SimBroker broker) {
        if (!broker.isUp()) {
            return false;
        }
        broker.restartInOrder(
                Duration.ofSeconds(entropy.between(1, 10)),
                Duration.ofMillis(entropy.between(100, 4_000)));
        return true;
    }

    boolean jump(SimBroker broker) {
        broker.clock().set(entropy.between(-MOST_CLOCK_MILLIS, MOST_CLOCK_MILLIS));
        return true;
    }
}
