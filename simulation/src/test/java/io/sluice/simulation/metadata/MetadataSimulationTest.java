package io.sluice.simulation.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulation.SeedRunner;
import io.sluice.simulation.Seeds;
import org.junit.jupiter.api.Test;

class MetadataSimulationTest {
    private static final String REPLAY =
            "mvn -pl simulation -am verify -Dtest=MetadataSimulationTest"
                    + " -Dsurefire.failIfNoSpecifiedTests=false -Dsluice.seed=SEED";

    @Test
    void committedChangesSurviveAndAreWhole() {
        long start = System.nanoTime();
        SeedRunner.Summary summary =
                new SeedRunner(MetadataScenario.usual(), REPLAY).requireAllPass(Seeds.asked(500));
        System.out.printf(
                "metadata: %d seeds twice, %d events, %d ms, %s%n",
                summary.seeds(),
                summary.events(),
                (System.nanoTime() - start) / 1_000_000,
                summary.counts());
        if (summary.seeds() >= 500) {
            assertThat(summary.counts().keySet())
                    .contains(
                            "commits answered Committed",
                            "commits answered Conflict",
                            "commits failed",
                            "commits refused for room",
                            "fault BIT_ROT",
                            "fault FAILED_FORCE",
                            "fault FULL",
                            "fault LOST_NAME",
                            "fault LOST_WRITE",
                            "fault POWER_CUT",
                            "fault TORN_WRITE",
                            "kills",
                            "orderly restarts",
                            "power losses");
        }
    }
}
