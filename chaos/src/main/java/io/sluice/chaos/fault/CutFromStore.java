package io.sluice.chaos.fault;

import java.time.Duration;

/// Cuts one broker off from the others' metadata store only: for the messages nothing has changed. Where every broker is a member of the store, the store
/// loses that member with it.
///
/// Immutable.
record CutFromStore(String kind, Target target) implements Fault {
    @Override
    public Needs needs() {
        return Needs.CUTS;
    }

    @Override
    public Injury inflict(Scene scene) {
        int victim = target.pick(scene);
        for (int other : scene.brokersBut(victim)) {
            scene.cuts().cutStore(victim, other);
        }
        Duration time = scene.between(5, 20);
        return new Injury(
                "cut off %s from the metadata store for %.1f s"
                        .formatted(scene.describe(victim), time.toMillis() / 1e3),
                scene.allPartitions(),
                time,
                scene.cuts()::healAll);
    }
}
