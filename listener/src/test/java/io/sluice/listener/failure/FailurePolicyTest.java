package io.sluice.listener.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.listener.failure.FailurePolicy.Decision;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FailurePolicyTest {
    private static final Decision DEAD = new Decision.DeadLetter();

    private static Decision again(int seconds) {
        return new Decision.Again(Duration.ofSeconds(seconds));
    }

    @Test
    @DisplayName(
            "Q36: pauses double up to the longest, and after the last attempt it is a dead letter")
    void pausesGrow() {
        var policy =
                FailurePolicy.standard()
                        .otherwise(
                                Backoff.exponential(
                                        Duration.ofSeconds(2), Duration.ofSeconds(10), 6));
        var failure = new IllegalStateException("no");

        assertThat(policy.decide(failure, 1, 0)).isEqualTo(again(2));
        assertThat(policy.decide(failure, 2, 0)).isEqualTo(again(4));
        assertThat(policy.decide(failure, 3, 0)).isEqualTo(again(8));
        assertThat(policy.decide(failure, 4, 0)).isEqualTo(again(10));
        assertThat(policy.decide(failure, 5, 0)).isEqualTo(again(10));
        assertThat(policy.decide(failure, 6, 0)).isEqualTo(DEAD);
    }

    @Test
    void theFirstRuleThatFitsDecides() {
        var policy =
                FailurePolicy.standard()
                        .deadLetter(FileNotFoundException.class)
                        .retry(IOException.class, Backoff.constant(Duration.ofSeconds(3), 2));

        assertThat(policy.decide(new FileNotFoundException("gone"), 1, 0)).isEqualTo(DEAD);
        assertThat(policy.decide(new IOException("busy"), 1, 0)).isEqualTo(again(3));
        assertThat(policy.decide(new IOException("busy"), 2, 0)).isEqualTo(DEAD);
    }

    @Test
    void causesCountAndARingOfCausesEnds() {
        var policy = FailurePolicy.standard().deadLetter(FileNotFoundException.class);
        assertThat(policy.decide(new RuntimeException(new FileNotFoundException("gone")), 1, 0))
                .isEqualTo(DEAD);

        var first = new RuntimeException("first");
        first.initCause(new RuntimeException("second", first));
        assertThat(policy.decide(first, 1, 0)).isEqualTo(again(1));
    }

    @Test
    void chanceOnlyShortensAPause() {
        Backoff backoff = Backoff.exponential(Duration.ofSeconds(10), Duration.ofMinutes(1), 5);
        assertThat(backoff.pauseAfter(1, 1)).isEqualTo(Duration.ofSeconds(8));
        assertThat(backoff.pauseAfter(1, 0)).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void impossibleSettingsAreRefused() {
        assertThatThrownBy(
                        () -> Backoff.exponential(Duration.ofSeconds(9), Duration.ofSeconds(1), 5))
                .hasMessageContaining("from first to longest");
        assertThatThrownBy(() -> Backoff.constant(Duration.ZERO, 0))
                .hasMessageContaining("at least 1 attempt");
    }
}
