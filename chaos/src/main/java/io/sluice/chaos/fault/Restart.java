package io.sluice.chaos.fault;

import io.sluice.chaos.cluster.BrokerProcess;
import java.time.Duration;

/// SIGTERM of one broker, which comes back when it has ended. A rolling restart is this with every broker in turn, each when the cluster is whole again.
///
/// Immutable.
record Restart(String kind, Target target) implements Fault {
    @Override
    public Needs needs() {
        return Needs.NOTHING;
    }

    @Override
    public Injury inflict(Scene scene) {
        int victim = target.pick(scene);
        BrokerProcess broker = scene.broker(victim);
        Duration took = broker.stop();
        return new Injury(
                "stopped %s, which took %.1f s"
                        .formatted(scene.describe(victim), took.toMillis() / 1e3),
                scene.allPartitions(),
                Duration.ofMillis(100),
                broker::start);
    }
}
