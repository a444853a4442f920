package io.sluice.benchmarks.load;

import java.time.Duration;

/// What a bulk run moved: payload bytes and the time it took. A megabyte is 10^6 bytes, a gigabyte 10^9.
public record Transfer(long bytes, Duration elapsed) {

    public double megabytesPerSecond() {
        return bytes / 1e6 / (elapsed.toNanos() / 1e9);
    }

    public double gigabytes() {
        return bytes / 1e9;
    }
}
