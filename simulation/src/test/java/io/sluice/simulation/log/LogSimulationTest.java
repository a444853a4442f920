package io.sluice.simulation.log;

import io.sluice.simulation.SeedRunner;
import io.sluice.simulation.Seeds;
import org.junit.jupiter.api.Test;

class LogSimulationTest {
    private static final String REPLAY =
            "mvn -pl simulation -am verify -Dtest=LogSimulationTest"
                    + " -Dsurefire.failIfNoSpecifiedTests=false -Dsluice.seed=SEED";

    @Test
    void acknowledgedIsNeverLost() {
        long start = System.nanoTime();
        SeedRunner.Summary summary =
                new SeedRunner(LogScenario.crashes(), REPLAY).requireAllPass(Seeds.asked(400));
        System.out.printf(
                "log: %d seeds twice, %d events, %d ms, %s%n",
                summary.seeds(),
                summary.events(),
                (System.nanoTime() - start) / 1_000_000,
                summary.counts());
    }
}
