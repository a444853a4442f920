package io.sluice.benchmarks.listener;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// The table says what was to be reached, and whether it was.
class ResultsTest {
    private final Results results = new Results();

    @Test
    void aLineSaysWhetherSluiceHasReachedItsTarget() {
        results.add(Row.BUSY, Subject.SLUICE, 96.0);
        results.add(Row.BUSY, Subject.SLUICE, 98.5);
        results.add(Row.BUSY, Subject.SLUICE, 99.0);
        results.add(Row.WAITING, Subject.SLUICE, 1);
        results.add(Row.OVERHEAD, Subject.SLUICE, 1.3);
        results.add(Row.OVERHEAD, Subject.SEED, 2.5);
        results.add(Row.LIGHT_IDLE, Subject.SLUICE, 12);

        assertThat(results.table())
                .contains("(%) | ≥ 97 | met | 98.5 [96–99] |")
                .contains("(messages) | 0 | missed | 1 |")
                .contains("(×) | ≤ 1.3 | met | 1.30 | 2.50 |")
                .contains("idle (ms) |  |  | 12 |");
    }

    @Test
    void whatWasNotReadIsNeitherMetNorMissed() {
        results.add(Row.LOST, Subject.SEED, 3);

        assertThat(results.table()).contains("rejections | 0 |  | – | 3 |");
    }
}
