package io.sluice.coordinator.groups;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Many seeds of [GroupSimulation] (Q17, Q18, Q20; invariant I11). Run one again with `-Dgroups.seed=…`.
class GroupSimulationTest {
    private static final int STEPS = 600;
    private static final long SEEDS = Long.getLong("groups.seeds", 300);

    @Test
    void invariantsHoldForEverySeed() {
        Long only = Long.getLong("groups.seed");
        LongStream seeds = only == null ? LongStream.range(0, SEEDS) : LongStream.of(only);
        seeds.forEach(seed -> new GroupSimulation(seed).run(STEPS));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 5, 8, 13, 21, 34})
    void sameSeedGivesTheSameTrace(long seed) {
        assertThat(new GroupSimulation(seed).run(STEPS))
                .isEqualTo(new GroupSimulation(seed).run(STEPS));
    }
}
