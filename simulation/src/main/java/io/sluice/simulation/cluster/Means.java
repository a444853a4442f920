package io.sluice.simulation.cluster;

import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.SimProcess;
import java.util.List;

/// What faults are done with: a cluster, chance, and the time after which each is taken back. Owned by its run.
record Means(Cluster cluster, SimEntropy entropy, SimProcess process) {
    void after(int millis, Runnable work) {
        cluster.world().schedule(process, "nemesis", millis * 1_000_000L, work);
    }

    /// In milliseconds: shorter and longer than it takes until somebody is held for dead.
    int duration() {
        return entropy.pick(List.of(400, 2_000, 5_000, 12_000));
    }
}
