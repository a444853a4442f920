package io.sluice.chaos.fault;

import java.time.Duration;

/// A leader's disk is full, or refuses to keep what was written to it: no message may be acknowledged because of that disk any more.
///
/// A full disk is waited for until it has refused a message, which takes as long as there is room that was written ahead; then another broker has to lead, and stays the leader while the disk is full for long enough that messages
/// are taken again. A broker whose disk has refused to keep something ends by itself.
///
/// Immutable.
record BadDisk(String kind, Ill ill) implements Fault {
    private static final Duration FILL_AGAIN = Duration.ofSeconds(2);
    private static final int FILL_TRIES = 30;
    private static final Duration YIELD_LIMIT = Duration.ofSeconds(30);
    private static final Duration END_LIMIT = Duration.ofSeconds(30);

    enum Ill {
        FULL,
        FAILING
    }

    @Override
    public Needs needs() {
        return Needs.DISKS;
    }

    @Override
    public Injury inflict(Scene scene) {
        int victim = Target.LEADER.pick(scene);
        String whom = scene.describe(victim);
        String story =
                switch (ill) {
                    case FULL -> "filled the disk of " + whom + fill(scene, victim);
                    case FAILING -> {
                        scene.disks().failWrites(victim);
                        yield "let fsync fail on the disk of " + whom;
                    }
                };
        Duration time =
                switch (ill) {
                    // Longer than a follower that cannot copy holds the others up.
                    case FULL -> scene.between(12, 20);
                    case FAILING -> scene.between(4, 15);
                };
        return new Injury(
                story + " for %.1f s".formatted(time.toMillis() / 1e3),
                scene.allPartitions(),
                time,
                () -> heal(scene, victim));
    }

    private void heal(Scene scene, int victim) {
        if (ill == Ill.FAILING) {
            scene.require(
                    scene.broker(victim).awaitOwnEnd(END_LIMIT),
                    "broker %d goes on with a disk that has refused to keep what was written"
                            .formatted(victim));
        }
        DiskCare.repairAndStart(scene, victim);
    }

    /// What a broker gives back meanwhile is taken, too. Says what came of it.
    private static String fill(Scene scene, int victim) {
        if (!scene.eye().knowsFullDisks()) {
            scene.disks().fill(victim);
            return "";
        }
        long began = System.nanoTime();
        boolean refused = false;
        for (int i = 0; i < FILL_TRIES && !refused; i++) {
            scene.disks().fill(victim);
            refused = scene.eye().awaitFullDisk(victim, FILL_AGAIN);
        }
        if (!refused) {
            scene.require(
                    false,
                    "broker %d has a full disk, and has not refused a message".formatted(victim));
            return "";
        }
        double afterSeconds = (System.nanoTime() - began) / 1e9;
        scene.require(
                scene.eye().awaitNoLeader(victim, scene.topic(), YIELD_LIMIT),
                "broker %d has a full disk, and still leads after %s"
                        .formatted(victim, YIELD_LIMIT));
        return " (which has refused a message after %.1f s)".formatted(afterSeconds);
    }
}
