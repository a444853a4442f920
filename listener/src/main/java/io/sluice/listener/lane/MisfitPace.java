package io.sluice.listener.lane;

import java.time.Duration;

/// Slows down polling while polls bring only messages of full lanes: each of them has to go back, and asking again at once would have the same
/// crowd go round in a hot loop.
///
/// Owned by [Lanes], called under its lock.
final class MisfitPace {
    private static final long FIRST_NANOS = Duration.ofMillis(10).toNanos();
    private static final long LONGEST_NANOS = Duration.ofMillis(200).toNanos();

    private int fruitless;
    private long pausedUntilNanos;

    /// A poll brought messages, and so many of them found a slot.
    void polled(int received, int admitted, long nowNanos) {
        if (admitted > 0 || received == 0) {
            reset();
            return;
        }
        fruitless = Math.min(fruitless + 1, 10);
        pausedUntilNanos = nowNanos + Math.min(LONGEST_NANOS, FIRST_NANOS << (fruitless - 1));
    }

    /// A full lane has room again, so its messages are welcome.
    void reset() {
        fruitless = 0;
    }

    /// How long the next poll has to wait.
    long pauseNanos(long nowNanos) {
        return fruitless == 0 ? 0 : Math.max(0, pausedUntilNanos - nowNanos);
    }
}
