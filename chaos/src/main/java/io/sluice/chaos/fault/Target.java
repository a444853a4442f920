package io.sluice.chaos.fault;

import java.util.List;
import java.util.function.IntPredicate;

/// Whom a fault is meant for.
enum Target {
    /// Leads something, and is not the controller if there is such a one: what is lost is the leader alone.
    LEADER,
    /// The controller, whatever else it is.
    CONTROLLER,
    /// The controller, and it leads something.
    LEADING_CONTROLLER,
    /// Not the controller; judged by the partitions that it follows only.
    FOLLOWER;

    int pick(Scene scene) {
        return switch (this) {
            case LEADER -> preferred(scene, id -> leads(scene, id) && !scene.isController(id));
            case CONTROLLER -> preferred(scene, scene::isController);
            case LEADING_CONTROLLER ->
                    preferred(scene, id -> scene.isController(id) && leads(scene, id));
            case FOLLOWER -> preferred(scene, id -> !scene.isController(id));
        };
    }

    private static boolean leads(Scene scene, int id) {
        return !scene.ledBy(id).isEmpty();
    }

    /// One of whom it holds; otherwise the controller, otherwise anyone.
    private static int preferred(Scene scene, IntPredicate wanted) {
        List<Integer> all = scene.brokersBut(0);
        List<Integer> fitting = all.stream().filter(wanted::test).toList();
        if (!fitting.isEmpty()) {
            return scene.choose(fitting);
        }
        return scene.controller().orElseGet(() -> scene.choose(all));
    }

    java.util.SortedSet<Integer> watched(Scene scene, int victim) {
        return this == FOLLOWER ? scene.notLedBy(victim) : scene.allPartitions();
    }
}
