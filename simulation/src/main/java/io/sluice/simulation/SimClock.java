package io.sluice.simulation;

import io.sluice.env.Clock;

/// The virtual time. The wall clock starts at a fixed day and can be set; the other one only goes on.
///
/// Owned by its world.
public final class SimClock implements Clock {
    /// 1 January 2030, so that no timestamp looks like one of the present.
    private static final long WALL_START_MILLIS = 1_893_456_000_000L;

    private long nanos;
    private long wallOffsetMillis = WALL_START_MILLIS;

    @Override
    public long wallMillis() {
        return wallOffsetMillis + nanos / 1_000_000;
    }

    @Override
    public long monotonicNanos() {
        return nanos;
    }

    /// Somebody sets the machine's clock.
    public void jumpWall(long millis) {
        wallOffsetMillis += millis;
    }

    void advanceTo(long time) {
        nanos = Math.max(nanos, time);
    }
}
