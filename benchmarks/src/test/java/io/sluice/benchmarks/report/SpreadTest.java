package io.sluice.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void theMedianOfAnOddNumberOfRoundsIsTheMiddleOne() {
        assertThat(Spread.of(9, 1, 5)).isEqualTo(new Spread(5, 1, 9, 3));
    }

    @Test
    void theMedianOfAnEvenNumberOfRoundsIsBetweenTheMiddleTwo() {
        assertThat(Spread.of(4, 1, 3, 100).median()).isEqualTo(3.5);
    }

    @Test
    void noRoundsHaveNoSpread() {
        assertThatIllegalArgumentException().isThrownBy(Spread::of);
    }

    @Test
    void valuesAreShownWithThreeDigitsAndTheirRange() {
        assertThat(Spread.of(0.0123, 4.567, 35_812.4).format(Unit.MILLISECONDS))
                .isEqualTo("4.57 [0.012–35,812]");
        assertThat(Spread.of(12.34).format(Unit.SECONDS)).isEqualTo("12.3");
        assertThat(Spread.of(0).format(Unit.PERCENT_OF_A_CORE)).isEqualTo("0.00");
        assertThat(Spread.of(1, 1).format(Unit.WORKS)).isEqualTo("yes");
    }
}
