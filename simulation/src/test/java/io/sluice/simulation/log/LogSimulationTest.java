package io.sluice.simulation.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulation.Scenario;
import io.sluice.simulation.SeedRunner;
import io.sluice.simulation.Seeds;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName(
        "Q8, Q13: nothing acknowledged is lost and nothing damaged is served, whatever the disk does")
class LogSimulationTest {
    private static final String REPLAY =
            "mvn -pl simulation -am verify -Dtest=LogSimulationTest"
                    + " -Dsurefire.failIfNoSpecifiedTests=false -Dsluice.seed=SEED";

    @Test
    void everythingThatCanHappen() {
        run("everything", LogScenario.usual(), Seeds.asked(3_000));
    }

    @Test
    void crashesOnAnHonestDisk() {
        run("crashes", LogScenario.crashes(), Seeds.asked(500));
    }

    @Test
    void seedsThatHaveFailedOnce() throws IOException {
        List<Long> seeds = failedOnce();
        assertThat(seeds).isNotEmpty();
        run("failed once", LogScenario.usual(), seeds);
    }

    private static void run(String name, Scenario scenario, List<Long> seeds) {
        long start = System.nanoTime();
        SeedRunner.Summary summary = new SeedRunner(scenario, REPLAY).requireAllPass(seeds);
        System.out.printf(
                "log, %s: %d seeds twice, %d events, %d ms, %s%n",
                name,
                summary.seeds(),
                summary.events(),
                (System.nanoTime() - start) / 1_000_000,
                summary.counts());
    }

    private static List<Long> failedOnce() throws IOException {
        try (InputStream file = LogSimulationTest.class.getResourceAsStream("seeds.txt")) {
            String text =
                    new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
            return text.lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> Long.valueOf(line.substring(0, line.indexOf(' '))))
                    .toList();
        }
    }
}
