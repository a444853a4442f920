package io.sluice.log;

import io.sluice.env.Clock;
import java.time.Duration;

/// Time that passes when the test says so.
final class ManualClock implements Clock {
    static final long START_MILLIS = 1_700_000_000_000L;

    private long nanos;

    void advance(Duration duration) {
        nanos += duration.toNanos();
    }

    @Override
    public long wallMillis() {
        return START_MILLIS + nanos / 1_000_000;
    }

    @Override
    public long monotonicNanos() {
        return nanos;
    }
}
