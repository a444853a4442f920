package io.sluice.simulation.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulation.InvariantBroken;
import io.sluice.simulation.Scenario;
import io.sluice.simulation.SeedRunner;
import io.sluice.simulation.Seeds;
import io.sluice.simulation.disk.LyingDisk;
import io.sluice.simulation.disk.LyingDisk.Lie;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/// The simulation is worth as much as the mistakes that it finds: each of these must not survive it.
class MetadataBitesTest {
    @ParameterizedTest
    @EnumSource(value = Lie.class, mode = Mode.EXCLUDE, names = "BELIEVE_CHECKSUMS")
    void everyMistakeIsFound(Lie lie) {
        Scenario scenario = MetadataScenario.over(disk -> new LyingDisk(disk, lie, path -> true));
        SeedRunner.Failure failure =
                new SeedRunner(scenario, "").findFailure(Seeds.range(1, 2_000));
        assertThat(failure).as("%s went unnoticed", lie).isNotNull();
        assertThat(failure.cause()).isInstanceOf(InvariantBroken.class);
        System.out.println("metadata: " + lie + " found by seed " + failure.seed());
    }
}
