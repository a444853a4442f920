package io.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PaceTest {
    @Test
    void messagesAreDueAtFixedTimesHoweverLateTheSenderIs() {
        var pace = new Pace(1_000, 500);
        assertThat(pace.due(0)).isEqualTo(1_000);
        assertThat(pace.due(1)).isEqualTo(1_000 + TimeUnit.MILLISECONDS.toNanos(2));
        assertThat(pace.due(500)).isEqualTo(1_000 + TimeUnit.SECONDS.toNanos(1));
    }

    @Test
    void noRateMeansNoWaiting() {
        assertThat(new Pace(0, 0).steady()).isFalse();
        assertThat(new Pace(0, 1).steady()).isTrue();
    }

    @Test
    void whatIsOverdueIsNotWaitedFor() {
        new Pace(System.nanoTime(), 1).await(System.nanoTime() - 1);
    }

    @Test
    void percentilesAreInMilliseconds() {
        var latencies = new Latencies();
        for (int i = 1; i <= 1_000; i++) {
            latencies.record(TimeUnit.MICROSECONDS.toNanos(i * 10L));
        }
        Fields result = latencies.addTo(Fields.none());
        assertThat(millis(result, "p50Millis")).isBetween(4.9, 5.1);
        assertThat(millis(result, "p99Millis")).isBetween(9.8, 10.0);
        assertThat(millis(result, "maxMillis")).isBetween(9.99, 10.02);
        assertThat(latencies.count()).isEqualTo(1_000);
    }

    @Test
    void readingTheRecentOnesLosesNothing() {
        var latencies = new Latencies();
        latencies.record(1_000_000);
        assertThat(latencies.recent(99)).isBetween(0.99, 1.01);
        latencies.record(3_000_000);
        assertThat(latencies.recent(99)).isBetween(2.99, 3.01);
        assertThat(latencies.count()).isEqualTo(2);
    }

    @Test
    void nothingMeasuredIsNotZero() {
        assertThat(new Latencies().addTo(Fields.none()).value("p99Millis"))
                .isEqualTo(Value.absent());
    }

    private static double millis(Fields result, String key) {
        return result.value(key) instanceof Value.Decimal(double number, _) ? number : Double.NaN;
    }
}
