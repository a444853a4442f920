package io.sluice.chaos.fault;

import io.sluice.chaos.cluster.BrokerProcess;
import java.time.Duration;

/// SIGSTOP of one broker, and SIGCONT later: it wakes up believing that no time has passed.
///
/// Immutable.
record Freeze(String kind, Target target) implements Fault {
    @Override
    public Needs needs() {
        return Needs.NOTHING;
    }

    @Override
    public Injury inflict(Scene scene) {
        int victim = target.pick(scene);
        BrokerProcess broker = scene.broker(victim);
        Duration time = scene.between(2, 15);
        broker.pause();
        return new Injury(
                "froze %s for %.1f s".formatted(scene.describe(victim), time.toMillis() / 1e3),
                target.watched(scene, victim),
                time,
                broker::resume);
    }
}
