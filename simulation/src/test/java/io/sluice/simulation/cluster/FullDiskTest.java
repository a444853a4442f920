package io.sluice.simulation.cluster;

import io.sluice.simulation.SeedRunner;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/// What becomes of partitions whose leader's disk is full, within a bounded time of the simulation.
class FullDiskTest {
    private static final int SEEDS = 30;
    private static final int TWICE_EVERY = 10;

    @Test
    void aLeaderYieldsToThoseThatHaveRoom() {
        List<Long> seeds = LongStream.rangeClosed(1, SEEDS).boxed().toList();
        new SeedRunner(
                        ClusterScenario.of(
                                new ClusterScenario.Play(
                                        new Plots.ALeadersDiskIsFull(),
                                        ClusterHabits.GOOD,
                                        Objects::nonNull)),
                        "FullDiskTest, seed SEED",
                        TWICE_EVERY)
                .requireAllPass(seeds);
    }
}
