package io.sluice.chaos.fault;

import io.sluice.chaos.place.Cuts;
import java.time.Duration;

/// Cuts one broker off from all the others.
///
/// Immutable.
record Isolate(String kind, Target target, Way way) implements Fault {

    /// Which packets are lost.
    enum Way {
        /// Between it and the other brokers. Clients still reach it: a leader that is none any more still takes messages.
        BROKERS("from the other brokers"),
        EVERYONE("from brokers and clients"),
        /// It hears, and nobody hears it.
        OUTGOING("so that it hears the other brokers and they do not hear it"),
        /// It is heard, and hears nobody.
        INCOMING("so that the other brokers hear it and it does not hear them");

        private final String words;

        Way(String words) {
            this.words = words;
        }
    }

    @Override
    public Needs needs() {
        return Needs.CUTS;
    }

    @Override
    public Injury inflict(Scene scene) {
        int victim = target.pick(scene);
        Cuts cuts = scene.cuts();
        for (int other : scene.brokersBut(victim)) {
            if (way != Way.INCOMING) {
                cuts.cut(victim, other);
            }
            if (way != Way.OUTGOING) {
                cuts.cut(other, victim);
            }
        }
        if (way == Way.EVERYONE) {
            cuts.cutBoth(victim, Cuts.CLIENTS);
        }
        Duration time = scene.between(5, 15);
        return new Injury(
                "cut off %s %s for %.1f s"
                        .formatted(scene.describe(victim), way.words, time.toMillis() / 1e3),
                target.watched(scene, victim),
                time,
                cuts::healAll);
    }
}
