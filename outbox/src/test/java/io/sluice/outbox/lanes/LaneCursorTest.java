package io.sluice.outbox.lanes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LaneCursorTest {
    private final LaneCursor closed = new LaneCursor("10:10:", null, 0, 7);

    @Test
    void anOpenCursorKeepsItsBoundSoThatASuccessorReadsTheSame() {
        LaneCursor open = closed.open("20:20:").open("30:30:");
        assertThat(open.bound()).isEqualTo("20:20:");
    }

    @Test
    void closingMovesToTheBoundAndNotToANewerSnapshot() {
        LaneCursor next = closed.open("20:20:").advance(5, 2).close("30:30:");
        assertThat(next).isEqualTo(new LaneCursor("20:20:", null, 0, 9));
    }

    @Test
    void aCursorThatFoundNothingMovesToWhereItLooked() {
        assertThat(closed.close("30:30:")).isEqualTo(new LaneCursor("30:30:", null, 0, 7));
    }

    @Test
    void numbersOfParkedEventsAreTakenFromTheSameCount() {
        assertThat(closed.open("20:20:").advance(5, 2).reserve(3).sequence()).isEqualTo(12);
    }

    @Test
    void aCursorNeverGoesBack() {
        LaneCursor open = closed.open("20:20:").advance(5, 1);
        assertThatThrownBy(() -> open.advance(5, 1)).hasMessageContaining("cannot advance");
    }
}
