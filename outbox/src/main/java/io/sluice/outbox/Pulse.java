package io.sluice.outbox;

import java.time.Duration;

/// Tells whether the publishing thread goes on. It says at every turn how long the next one may take; when that is over it stands still, and others should have
/// its lanes, whatever it waits for.
///
/// Thread-safe: one volatile moment.
final class Pulse {
    /// Beside the longest statement: waits for the broker have bounds of their own, far below.
    private static final Duration MARGIN = Duration.ofMinutes(5);

    private final Duration most;
    private volatile long untilNanos;

    /// @param most however long a statement may take
    Pulse(Duration most) {
        this.most = most;
        this.untilNanos = System.nanoTime() + most.toNanos();
    }

    /// @param statement the longest that may follow
    void beat(Duration statement) {
        Duration turn = statement.plus(MARGIN);
        Duration least = turn.compareTo(most) < 0 ? turn : most;
        untilNanos = System.nanoTime() + least.toNanos();
    }

    boolean isFelt() {
        return System.nanoTime() - untilNanos < 0;
    }
}
