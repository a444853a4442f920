package io.sluice.replication;

import java.time.Duration;

/// How long to wait after the n-th failure in a row: doubles up to a limit. Owned by whoever waits.
final class Backoff {
    private final long firstNanos;
    private final long longestNanos;
    private int failures;
    private long untilNanos = Long.MIN_VALUE;

    Backoff(Duration first, Duration longest) {
        this.firstNanos = first.toNanos();
        this.longestNanos = longest.toNanos();
    }

    void failed(long nowNanos) {
        long wait = firstNanos << Math.min(failures, 20);
        untilNanos = nowNanos + Math.min(wait, longestNanos);
        failures++;
    }

    void succeeded() {
        failures = 0;
        untilNanos = Long.MIN_VALUE;
    }

    int failures() {
        return failures;
    }

    boolean isOver(long nowNanos) {
        return untilNanos == Long.MIN_VALUE || nowNanos - untilNanos >= 0;
    }

    /// How long is left; never negative.
    Duration left(long nowNanos) {
        return isOver(nowNanos) ? Duration.ZERO : Duration.ofNanos(untilNanos - nowNanos);
    }
}
