package io.sluice.chaos.fault;

import java.time.Duration;
import java.util.List;

/// Cuts two brokers off from each other, while a third still sees both: each has reason to believe that the other is the dead one.
///
/// Immutable.
record CutPair(String kind) implements Fault {
    @Override
    public Needs needs() {
        return Needs.CUTS;
    }

    @Override
    public Injury inflict(Scene scene) {
        int leader = Target.LEADER.pick(scene);
        List<Integer> others = scene.brokersBut(leader);
        int other =
                others.stream()
                        .filter(scene::isController)
                        .findFirst()
                        .orElseGet(() -> scene.choose(others));
        scene.cuts().cutBoth(leader, other);
        Duration time = scene.between(5, 15);
        return new Injury(
                "cut %s and %s off from each other for %.1f s"
                        .formatted(
                                scene.describe(leader),
                                scene.describe(other),
                                time.toMillis() / 1e3),
                scene.allPartitions(),
                time,
                scene.cuts()::healAll);
    }
}
