package io.sluice.chaos.fault;

import java.time.Duration;
import java.util.Optional;

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
        boolean emptied = scene.eye().awaitEmpty(victim, scene.topic(), LIMIT);
        scene.broker(victim).stop();
        Optional<Exception> refused = scene.eye().remove(victim, LIMIT);
        DiskCare.exchange(scene, victim);
        return new Injury(
                "took %s out of the cluster (%s, %s), and another one in its place, with an empty disk"
                        .formatted(
                                before,
                                emptied ? "emptied" : "NOT EMPTY",
                                refused.map(why -> "NOT REMOVED: " + why).orElse("removed")),
                scene.allPartitions(),
                Duration.ofSeconds(1),
                () -> join(scene, victim));
    }

    private static void join(Scene scene, int victim) {
        scene.broker(victim).start();
        scene.eye().awaitBrokers(scene.cluster().brokers().size(), LIMIT);
        scene.eye().takeInAgain(victim);
    }
}
