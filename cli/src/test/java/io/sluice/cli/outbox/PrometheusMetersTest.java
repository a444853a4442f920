package io.sluice.cli.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PrometheusMetersTest {
    private final PrometheusMeters meters = new PrometheusMeters();

    @Test
    void countersAndGaugesOfOneNameAreOneFamily() {
        Gauge.builder("outbox.lanes", () -> 32)
                .description("Lanes of \\ this\nrelay")
                .tag("relay", "a\"b")
                .register(meters);
        Gauge.builder("outbox.lanes", () -> Double.NaN).tag("relay", "c").register(meters);
        FunctionCounter.builder("outbox.events", this, _ -> 7).register(meters);
        assertThat(meters.text().lines())
                .containsExactlyInAnyOrder(
                        "# TYPE outbox_events_total counter",
                        "outbox_events_total 7.0",
                        "# HELP outbox_lanes Lanes of \\\\ this\\nrelay",
                        "# TYPE outbox_lanes gauge",
                        "outbox_lanes{relay=\"a\\\"b\"} 32.0",
                        "outbox_lanes{relay=\"c\"} NaN");
    }

    @Test
    void aTimerIsAHistogramInSeconds() {
        Timer timer =
                Timer.builder("outbox.latency")
                        .tag("relay", "a")
                        .publishPercentileHistogram()
                        .minimumExpectedValue(Duration.ofMillis(1))
                        .maximumExpectedValue(Duration.ofMinutes(5))
                        .register(meters);
        timer.record(Duration.ofMillis(1));
        timer.record(Duration.ofHours(1));
        assertThat(meters.text().lines())
                .contains(
                        "# TYPE outbox_latency_seconds histogram",
                        "outbox_latency_seconds_bucket{relay=\"a\",le=\"0.001\"} 1.0",
                        "outbox_latency_seconds_bucket{relay=\"a\",le=\"300.0\"} 1.0",
                        "outbox_latency_seconds_bucket{relay=\"a\",le=\"+Inf\"} 2.0",
                        "outbox_latency_seconds_count{relay=\"a\"} 2.0",
                        "outbox_latency_seconds_sum{relay=\"a\"} 3600.001");
    }
}
