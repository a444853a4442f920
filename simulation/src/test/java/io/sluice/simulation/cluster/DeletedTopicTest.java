package io.sluice.simulation.cluster;

import io.sluice.simulation.SeedRunner;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/// What a broker makes of a topic that was deleted and made again while it was away.
class DeletedTopicTest {
    private static final int SEEDS = 20;
    private static final int TWICE_EVERY = 10;

    @Test
    void aReplicaThatMissesTheDeletionBeginsAnew() {
        requireAllPass(new TopicPlots.AReplicaMissesTheDeletion());
    }

    @Test
    void aFormerReplicaThatMissesTheDeletionBeginsAnew() {
        requireAllPass(new TopicPlots.AFormerReplicaMissesTheDeletion());
    }

    private static void requireAllPass(Plot plot) {
        List<Long> seeds = LongStream.rangeClosed(1, SEEDS).boxed().toList();
        new SeedRunner(
                        ClusterScenario.of(
                                new ClusterScenario.Play(
                                        plot, ClusterHabits.GOOD, Objects::nonNull)),
                        "DeletedTopicTest, seed SEED",
                        TWICE_EVERY)
                .requireAllPass(seeds);
    }
}
