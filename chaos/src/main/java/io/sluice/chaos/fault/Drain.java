package io.sluice.chaos.fault;

import java.time.Duration;

/// Empties a broker under load, and takes it in again: every replica on it moves to another broker, and then some come back.
///
/// Immutable.
record Drain(String kind) implements Fault {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    @Override
    public Needs needs() {
        return Needs.SPARE_BROKER;
    }

    @Override
    public Injury inflict(Scene scene) {
        int victim = Target.LEADER.pick(scene);
        String before = scene.describe(victim);
        long began = System.nanoTime();
        scene.eye().drain(victim);
        boolean emptied = scene.eye().awaitEmpty(victim, scene.topic(), LIMIT);
        scene.require(emptied, "%s is not empty %s after it was drained".formatted(before, LIMIT));
        return new Injury(
                "drained %s, which took %.1f s"
                        .formatted(before, (System.nanoTime() - began) / 1e9),
                scene.allPartitions(),
                Duration.ofSeconds(1),
                () -> takeIn(scene, victim));
    }

    /// Back, and with a share.
    static void takeIn(Scene scene, int broker) {
        scene.eye().takeInAgain(broker);
        scene.require(
                scene.eye().awaitShare(broker, LIMIT),
                "broker %d was taken in, and has no replica in sync %s later"
                        .formatted(broker, LIMIT));
    }
}
