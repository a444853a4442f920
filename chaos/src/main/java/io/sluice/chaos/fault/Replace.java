package io.sluice.chaos.fault;

import java.time.Duration;

/// Takes a broker out of the cluster for good under load, and adds another machine in its place, with an empty disk: the first one is emptied, stopped and removed, the other one joins and gets its share.
///
/// Immutable.
record Replace(String kind) implements Fault {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    @Override
    public Needs needs() {
        return Needs.SPARE_BROKER;
    }

    @Override
    public Injury inflict(Scene scene) {
        int victim = Target.LEADER.pick(scene);
        String before = scene.describe(victim);
        scene.eye().drain(victim);
        scene.require(
                scene.eye().awaitEmpty(victim, scene.topic(), LIMIT),
                "%s is not empty %s after it was drained".formatted(before, LIMIT));
        scene.broker(victim).stop();
        scene.eye()
                .remove(victim, LIMIT)
                .ifPresent(
                        refused ->
                                scene.require(
                                        false,
                                        "%s could not be removed: %s".formatted(before, refused)));
        DiskCare.exchange(scene, victim);
        return new Injury(
                "took %s out of the cluster, and another one in its place, with an empty disk"
                        .formatted(before),
                scene.allPartitions(),
                Duration.ofSeconds(1),
                () -> join(scene, victim));
    }

    private static void join(Scene scene, int victim) {
        scene.broker(victim).start();
        scene.eye().awaitBrokers(scene.cluster().brokers().size(), LIMIT);
        Drain.takeIn(scene, victim);
    }
}
