package io.sluice.outbox.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A turn that hangs is ended, and only that one.
@Timeout(60)
class TurnLimitTest {
    @Test
    void whoHangsIsEndedAndTheNextOneIsNotInterrupted() throws Exception {
        CountDownLatch abandoned = new CountDownLatch(1);
        TurnLimit limit = TurnLimit.start(Duration.ofMillis(5), abandoned::countDown);
        try (limit) {
            assertThatThrownBy(() -> new CountDownLatch(1).await())
                    .isInstanceOf(InterruptedException.class);
        }
        assertThat(limit.isExceeded()).isTrue();
        assertThat(abandoned.getCount()).isZero();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /// What it waited for ends first; the interruption comes when it is elsewhere, or at the end.
    @Test
    void whatItWaitedForEnds() throws Exception {
        CountDownLatch abandoned = new CountDownLatch(1);
        TurnLimit limit = TurnLimit.start(Duration.ofMillis(5), abandoned::countDown);
        try (limit) {
            while (abandoned.getCount() > 0) {
                Thread.onSpinWait();
            }
        }
        assertThat(limit.isExceeded()).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void whoIsInTimeIsLeftAlone() {
        CountDownLatch abandoned = new CountDownLatch(1);
        TurnLimit limit = TurnLimit.start(Duration.ofHours(1), abandoned::countDown);
        limit.close();
        assertThat(limit.isExceeded()).isFalse();
        assertThat(abandoned.getCount()).isEqualTo(1);
    }
}
