package io.sluice.partition;

import io.sluice.env.Clock;

/// A clock that throws while told to: a bug in the middle of whatever is being done. Owned by its test.
public final class BuggyClock implements Clock {
    private final Clock clock;
    public boolean hasABug;

    BuggyClock(Clock clock) {
        this.clock = clock;
    }

    @Override
    public long wallMillis() {
        return clock.wallMillis();
    }

    @Override
    public long monotonicNanos() {
        if (hasABug) {
            throw new IllegalStateException("a bug");
        }
        return clock.monotonicNanos();
    }
}
