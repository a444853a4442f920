package io.sluice.chaos.fault;

/// What an operator does to a broker whose disk was in trouble.
final class DiskCare {
    private DiskCare() {}

    /// Ends the broker if it still runs, makes the disk good and starts the broker on what is there.
    static void repairAndStart(Scene scene, int victim) {
        scene.broker(victim).kill();
        scene.disks().repair(victim);
        scene.broker(victim).start();
    }
}
