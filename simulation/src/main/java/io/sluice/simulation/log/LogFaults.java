package io.sluice.simulation.log;

import io.sluice.simulation.SimEntropy;

/// Which faults a seed has at all. Drawn before everything else: with all of them always on, rare combinations would hide behind common
/// ones, and a seed without any shows what must work in peace. Immutable.
record LogFaults(
        boolean powerCuts,
        boolean kills,
        boolean failedForces,
        boolean fullDisk,
        boolean bitRot,
        boolean unreadable,
        boolean slowDisk,
        boolean lostCheckpoints,
        boolean clockJumps) {

    static LogFaults draw(SimEntropy entropy) {
        return new LogFaults(
                entropy.chance(60),
                entropy.chance(40),
                entropy.chance(30),
                entropy.chance(30),
                entropy.chance(25),
                entropy.chance(15),
                entropy.chance(20),
                entropy.chance(20),
                entropy.chance(20));
    }

    /// Crashes of every kind, but a disk that keeps what it was given.
    LogFaults onHonestDisk() {
        return new LogFaults(
                powerCuts,
                kills,
                false,
                fullDisk,
                false,
                false,
                slowDisk,
                lostCheckpoints,
                clockJumps);
    }
}
