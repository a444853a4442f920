package io.sluice.spring.awspring;

import static org.assertj.core.api.Assertions.assertThat;

import io.awspring.cloud.sqs.listener.backpressure.BackPressureHandler.ReleaseReason;
import io.awspring.cloud.sqs.listener.backpressure.ConcurrencyLimiterBlockingBackPressureHandler;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SlotsBackPressureHandlerTest {
    private final SlotsBackPressureHandler handler =
            new SlotsBackPressureHandler(3, 3, Duration.ofMillis(50));

    @Test
    @DisplayName("B3: a freed slot is polled for at once")
    void aFreedSlotIsGivenOutAtOnce() throws InterruptedException {
        assertThat(handler.requestBatch()).isEqualTo(3);
        handler.release(0, ReleaseReason.PARTIAL_FETCH);
        assertThat(handler.requestBatch()).as("none is free").isZero();

        handler.release(1, ReleaseReason.PROCESSED);
        assertThat(handler.requestBatch()).isEqualTo(1);
        assertThat(handler.taken()).isEqualTo(3);
    }

    @Test
    void theirsWaitsForAllOfThemFirst() throws InterruptedException {
        var theirs =
                ConcurrencyLimiterBlockingBackPressureHandler.builder()
                        .batchSize(3)
                        .totalPermits(3)
                        .acquireTimeout(Duration.ofMillis(300))
                        .build();
        assertThat(theirs.requestBatch()).isEqualTo(3);
        theirs.release(1, ReleaseReason.PROCESSED);
        long asked = System.nanoTime();
        assertThat(theirs.requestBatch()).isEqualTo(1);
        assertThat(Duration.ofNanos(System.nanoTime() - asked))
                .isGreaterThan(Duration.ofMillis(250));
    }

    @Test
    void whileTheQueueIsEmptyOnePollWaits() throws InterruptedException {
        assertThat(handler.request(1)).isEqualTo(1);
        handler.release(1, ReleaseReason.NONE_FETCHED);

        assertThat(handler.request(1)).isEqualTo(1);
        assertThat(handler.request(1)).as("one poll waits already").isZero();
        handler.release(0, ReleaseReason.PARTIAL_FETCH);
        assertThat(handler.request(3)).as("there is something").isEqualTo(2);
    }

    @Test
    void drainedMeansThatEverySlotIsBack() throws InterruptedException {
        assertThat(handler.request(2)).isEqualTo(2);
        assertThat(handler.drain(Duration.ofMillis(10))).isFalse();
        handler.release(1, ReleaseReason.PARTIAL_FETCH);
        handler.release(1, ReleaseReason.PROCESSED);
        assertThat(handler.drain(Duration.ofSeconds(10))).isTrue();
    }
}
