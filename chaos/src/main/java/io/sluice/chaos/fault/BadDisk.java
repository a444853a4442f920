package io.sluice.chaos.fault;

import java.time.Duration;

/// A leader's disk is full, or refuses to keep what was written to it: no message may be acknowledged because of that disk any more.
///
/// Immutable.
record BadDisk(String kind, Ill ill) implements Fault {
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
        String story =
                switch (ill) {
                    case FULL -> {
                        scene.disks().fill(victim);
                        yield "filled the disk of ";
                    }
                    case FAILING -> {
                        scene.disks().failWrites(victim);
                        yield "let fsync fail on the disk of ";
                    }
                };
        Duration time = scene.between(10, 15);
        return new Injury(
                story + scene.describe(victim) + " for %.1f s".formatted(time.toMillis() / 1e3),
                scene.allPartitions(),
                time,
                () -> DiskCare.repairAndStart(scene, victim));
    }
}
