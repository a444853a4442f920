package io.sluice.benchmarks.load;

import java.time.Duration;
import org.HdrHistogram.Histogram;

/// What a run of single requests did: how many, in what time, and how long each took (in nanoseconds).
public record LoadResult(long requests, Duration elapsed, Histogram latencyNanos) {

    public double requestsPerSecond() {
        return requests / (elapsed.toNanos() / 1e9);
    }

    public double latencyMillis(double percentile) {
        return latencyNanos.getValueAtPercentile(percentile) / 1e6;
    }
}
