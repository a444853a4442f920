package io.sluice.chaos.fault;

import java.time.Duration;
import java.util.List;

/// Cuts every broker off from every other: nobody has a majority.
///
/// Immutable.
record SplitAll(String kind, boolean storeOnly) implements Fault {
    @Override
    public Needs needs() {
        return Needs.CUTS;
    }

    @Override
    public Injury inflict(Scene scene) {
        List<Integer> all = scene.brokersBut(0);
        for (int one : all) {
            for (int other : all) {
                if (one < other) {
                    if (storeOnly) {
                        scene.cuts().cutStore(one, other);
                    } else {
                        scene.cuts().cutBoth(one, other);
                    }
                }
            }
        }
        Duration time = scene.between(5, 15);
        return new Injury(
                (storeOnly ? "the metadata store has no majority" : "every broker alone")
                        + " for %.1f s".formatted(time.toMillis() / 1e3),
                scene.allPartitions(),
                time,
                scene.cuts()::healAll);
    }
}
