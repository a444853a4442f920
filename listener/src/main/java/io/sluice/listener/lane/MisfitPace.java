package io.sluice.listener.lane;

import java.time.Duration;

/// Bounds how many messages of full lanes polls may bring in a second, since each of them has to go back.
///
/// A crowd of them is let through at once: the light message behind it must not wait. After that they come at a steady rate, whatever a queue does with the times at
/// which they are to come again.
///
/// Owned by [Lanes], called under its lock.
final class MisfitPace {
    static final int AT_ONCE = 1_000;
    static final int PER_SECOND = 300;

    private static final double NANOS_EACH = (double) Duration.ofSeconds(1).toNanos() / PER_SECOND;

    private double left = AT_ONCE;
    private long seenNanos;
    private boolean begun;

    /// A poll brought messages, and so many of them found a slot.
    void polled(int received, int admitted, long nowNanos) {
        if (begun) {
            left = Math.min(AT_ONCE, left + (nowNanos - seenNanos) / NANOS_EACH);
        }
        begun = true;
        seenNanos = nowNanos;
        left -= received - admitted;
    }

    /// How long the next poll has to wait.
    long pauseNanos(long nowNanos) {
        return left >= 0 ? 0 : Math.max(0, seenNanos + (long) (-left * NANOS_EACH) - nowNanos);
    }
}
