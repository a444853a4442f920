package io.sluice.simulation;

import io.sluice.env.Clock;

/// The clock of one machine: its wall time is off from the world's, and drifts away from it.
///
/// Owned by its world.
public final class MachineClock implements Clock {
    private final SimClock world;
    private final int driftPerMillion;
    private long offsetMillis;

    public MachineClock(SimClock world, long offsetMillis, int driftPerMillion) {
        this.world = world;
        this.offsetMillis = offsetMillis;
        this.driftPerMillion = driftPerMillion;
    }

    @Override
    public long wallMillis() {
        long drift = world.monotonicNanos() / 1_000_000 * driftPerMillion / 1_000_000;
        return world.wallMillis() + offsetMillis + drift;
    }

    @Override
    public long monotonicNanos() {
        return world.monotonicNanos();
    }

    /// Somebody sets the machine's clock: it is off by so much from now on.
    public void set(long millis) {
        offsetMillis = millis;
    }
}
