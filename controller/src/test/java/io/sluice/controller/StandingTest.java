package io.sluice.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/// How long a broker may take its place for granted.
class StandingTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private final SteppedTime time = new SteppedTime();
    private final Standing standing = new Standing(time, TIMEOUT, true);

    @Test
    void isInDoubtUntilItIsConfirmed() {
        assertThat(standing.isCertain()).isFalse();
        standing.prolonged(time.monotonicNanos());
        assertThat(standing.isCertain()).as("nobody has confirmed it").isFalse();
        standing.confirmed(time.monotonicNanos());
        assertThat(standing.isCertain()).isTrue();
    }

    @Test
    void lastsForTheTimeoutFromWhenItWasAskedFor() {
        long asked = time.monotonicNanos();
        time.advance(Duration.ofSeconds(1));
        standing.confirmed(asked);
        time.advance(Duration.ofMillis(1_999));
        assertThat(standing.isCertain()).isTrue();
        time.advance(Duration.ofMillis(1));
        assertThat(standing.isCertain()).isFalse();
    }

    @Test
    void anAnswerThatHasWaitedForTooLongConfirmsNothing() {
        standing.confirmed(time.monotonicNanos());
        long asked = time.monotonicNanos();
        time.advance(TIMEOUT);
        standing.confirmed(asked);
        assertThat(standing.isCertain()).isFalse();
    }

    @Test
    void isProlongedWithoutAGapOnly() {
        standing.confirmed(time.monotonicNanos());
        for (int i = 0; i < 10; i++) {
            time.advance(Duration.ofMillis(2_900));
            standing.prolonged(time.monotonicNanos());
            assertThat(standing.isCertain()).isTrue();
        }
        time.advance(TIMEOUT);
        standing.prolonged(time.monotonicNanos());
        assertThat(standing.isCertain()).isFalse();
    }

    @Test
    void olderNewsTakeNothingBack() {
        long before = time.monotonicNanos();
        time.advance(Duration.ofSeconds(2));
        standing.confirmed(time.monotonicNanos());
        standing.confirmed(before);
        time.advance(Duration.ofSeconds(2));
        assertThat(standing.isCertain()).isTrue();
    }

    @Test
    void whatIsWithdrawnIsInDoubtAtOnceUntilItIsConfirmedAgain() {
        standing.confirmed(time.monotonicNanos());
        standing.withdrawn();
        assertThat(standing.isCertain()).isFalse();
        standing.prolonged(time.monotonicNanos());
        assertThat(standing.isCertain()).isFalse();
        standing.confirmed(time.monotonicNanos());
        assertThat(standing.isCertain()).isTrue();
    }

    @Test
    void whoeverCannotBeReplacedStaysCertain() {
        Standing only = new Standing(time, TIMEOUT, false);
        assertThat(only.isCertain()).as("it is not part of anything yet").isFalse();
        only.confirmed(time.monotonicNanos());
        time.advance(TIMEOUT.multipliedBy(100));
        assertThat(only.isCertain()).isTrue();
    }
}
