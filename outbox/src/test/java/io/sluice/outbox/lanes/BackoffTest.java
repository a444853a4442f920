package io.sluice.outbox.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BackoffTest {
    @Test
    @DisplayName("O2: 5 s, doubling, at most 600 s")
    void theDocumentsSchedule() {
        Backoff backoff = new Backoff(Duration.ofSeconds(5), Duration.ofSeconds(600));
        assertThat(backoff.after(0)).isZero();
        assertThat(backoff.after(1)).hasSeconds(5);
        assertThat(backoff.after(2)).hasSeconds(10);
        assertThat(backoff.after(7)).hasSeconds(320);
        assertThat(backoff.after(8)).hasSeconds(600);
        assertThat(backoff.after(Integer.MAX_VALUE)).hasSeconds(600);
    }

    @Test
    void theScheduleIsFollowedByWhoKnowsOnlyTheLastWait() {
        Backoff backoff = new Backoff(Duration.ofSeconds(5), Duration.ofSeconds(600));
        assertThat(backoff.beyond(Duration.ZERO)).hasSeconds(5);
        assertThat(backoff.beyond(Duration.ofMillis(4_999))).hasSeconds(5);
        for (int failures = 1; failures < 20; failures++) {
            assertThat(backoff.beyond(backoff.after(failures)))
                    .isEqualTo(backoff.after(failures + 1));
        }
        assertThat(backoff.beyond(Duration.ofSeconds(Long.MAX_VALUE))).hasSeconds(600);
    }
}
