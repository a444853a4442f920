package io.sluice.listener.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/// Who is called back, and who is not, in virtual time.
class ParkedTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final Parked parked = new Parked(4);

    @Test
    @DisplayName(
            "B6: as many are called as there are slots, those with the first appointments first")
    void asManyAreCalledAsThereAreSlots() {
        parked.park("heavy", "a", 10 * SECOND);
        parked.park("heavy", "b", 20 * SECOND);
        parked.park("heavy", "c", 30 * SECOND);

        assertThat(parked.call("heavy", 0, 0)).isEmpty();
        assertThat(parked.call("light", 5, 0)).isEmpty();
        assertThat(parked.call("heavy", 2, 0)).containsExactly("a", "b");
        assertThat(parked.call("heavy", 2, SECOND / 10)).as("those two are on their way").isEmpty();
        assertThat(parked.call("heavy", 2, SECOND))
                .as("somebody else has them")
                .containsExactly("c");
        assertThat(parked.isEmpty()).isTrue();
    }

    @Test
    void oneWhoseTimeHasComeIsLeftAlone() {
        parked.park("heavy", "visible, perhaps at work", 10 * SECOND);
        parked.park("heavy", "b", 20 * SECOND);
        assertThat(parked.call("heavy", 1, 10 * SECOND)).containsExactly("b");
        assertThat(parked.isEmpty()).isTrue();
    }

    @Test
    void whatIsBeyondTheBoundComesByItself() {
        for (int i = 0; i < 10; i++) {
            parked.park("heavy", "m" + i, 10 * SECOND);
        }
        assertThat(parked.callAll(0)).containsExactly("m0", "m1", "m2", "m3");
        assertThat(parked.isEmpty()).isTrue();
        parked.park("heavy", "again", 10 * SECOND);
        assertThat(parked.callAll(11 * SECOND)).isEmpty();
    }
}
