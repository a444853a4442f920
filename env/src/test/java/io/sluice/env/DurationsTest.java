package io.sluice.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class DurationsTest {
    private final Durations durations = new Durations();

    @Test
    void eachFallsIntoTheFirstBucketThatHoldsIt() {
        durations.add(Duration.ofNanos(50_999).toNanos());
        durations.add(Duration.ofNanos(51_000).toNanos());
        durations.add(Duration.ofMillis(1).toNanos());
        durations.add(Duration.ofMinutes(1).toNanos());

        assertThat(durations.count(0)).isOne();
        assertThat(durations.count(1)).isOne();
        assertThat(durations.upperBoundSeconds(4)).isEqualTo(0.001);
        assertThat(durations.count(4)).isOne();
        assertThat(durations.count(durations.buckets() - 1)).isOne();
        assertThat(durations.upperBoundSeconds(durations.buckets() - 1)).isInfinite();
        assertThat(durations.count()).isEqualTo(4);
        assertThat(durations.totalSeconds()).isBetween(60.0, 60.01);
    }
}
