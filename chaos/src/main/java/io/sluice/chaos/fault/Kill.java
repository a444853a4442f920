package io.sluice.chaos.fault;

import io.sluice.chaos.cluster.BrokerProcess;
import java.time.Duration;

/// `kill -9` of one broker, which comes back after a moment, sometimes at once.
///
/// Immutable.
record Kill(String kind, Target target) implements Fault {
    @Override
    public Needs needs() {
        return Needs.NOTHING;
    }

    @Override
    public Injury inflict(Scene scene) {
        int victim = target.pick(scene);
        BrokerProcess broker = scene.broker(victim);
        Duration away =
                scene.choose(java.util.List.of(true, false, false))
                        ? Duration.ofMillis(100)
                        : scene.between(1, 6);
        broker.kill();
        return new Injury(
                "killed " + scene.describe(victim),
                target.watched(scene, victim),
                away,
                broker::start);
    }
}
