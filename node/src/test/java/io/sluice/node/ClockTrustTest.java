package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Clock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// A date that leaps deletes nothing before somebody could hear of it.
class ClockTrustTest {
    private static final Duration BETWEEN_LOOKS = Duration.ofMinutes(5);

    private long nanos = 5_000_000_000L;
    private long wall = 1_800_000_000_000L;
    private final ClockTrust trust =
            new ClockTrust(
                    new Clock() {
                        @Override
                        public long wallMillis() {
                            return wall;
                        }

                        @Override
                        public long monotonicNanos() {
                            return nanos;
                        }
                    });

    private void pass(Duration time) {
        nanos += time.toNanos();
        wall += time.toMillis();
    }

    private boolean lookAfter(Duration time) {
        boolean last = trust.look();
        for (Duration left = time; left.isPositive(); left = left.minus(BETWEEN_LOOKS)) {
            pass(BETWEEN_LOOKS);
            last = trust.look();
        }
        return last;
    }

    @Test
    void aClockThatGoesEvenlyIsBelieved() {
        assertThat(lookAfter(Duration.ofDays(10))).isTrue();
    }

    @Test
    void smallStepsAndDriftAreBelieved() {
        for (int day = 0; day < 100; day++) {
            wall += Duration.ofMinutes(1).toMillis();
            assertThat(lookAfter(Duration.ofHours(1))).isTrue();
        }
    }

    @Test
    void aLeapAheadIsNotBelievedBeforeItHasProvedItself() {
        wall += Duration.ofDays(30).toMillis();
        assertThat(lookAfter(ClockTrust.PROOF.minus(BETWEEN_LOOKS))).isFalse();
        assertThat(lookAfter(BETWEEN_LOOKS)).isTrue();
        assertThat(lookAfter(Duration.ofDays(1))).isTrue();
    }

    /// Groups forget offsets by a timer of their own, which may ring before the next look.
    @Test
    void aLeapIsDoubtedAlsoBetweenTwoLooks() {
        assertThat(trust.isTrusted()).isTrue();
        wall += Duration.ofDays(30).toMillis();
        assertThat(trust.isTrusted()).isFalse();
        assertThat(lookAfter(ClockTrust.PROOF.minus(BETWEEN_LOOKS))).isFalse();
        assertThat(trust.isTrusted()).isFalse();
        assertThat(lookAfter(BETWEEN_LOOKS)).isTrue();
        assertThat(trust.isTrusted()).isTrue();
    }

    @Test
    void aClockThatIsSetRightIsBelievedAtOnce() {
        wall += Duration.ofDays(30).toMillis();
        assertThat(lookAfter(Duration.ofHours(1))).isFalse();
        wall -= Duration.ofDays(30).toMillis();
        assertThat(trust.look()).isTrue();
    }

    @Test
    void everyFurtherLeapCountsAnew() {
        for (int i = 0; i < 10; i++) {
            wall += Duration.ofDays(1).toMillis();
            assertThat(lookAfter(Duration.ofHours(5))).isFalse();
        }
    }

    @Test
    void aLeapBackAndForthIsNoLeap() {
        wall -= Duration.ofDays(1).toMillis();
        assertThat(trust.look()).isFalse();
        wall += Duration.ofDays(1).toMillis();
        assertThat(trust.look()).isTrue();
    }
}
