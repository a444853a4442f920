package io.sluice.env.os;

import io.sluice.env.Clock;

/// The machine's clocks. Immutable.
public final class OsClock implements Clock {
    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long monotonicNanos() {
        return System.nanoTime();
    }
}
