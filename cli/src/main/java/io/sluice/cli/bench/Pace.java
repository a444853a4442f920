package io.sluice.cli.bench;

import java.util.concurrent.locks.LockSupport;

/// When each of a steady row of messages is due. A late sender does not shift what comes after.
///
/// Immutable; waits on the calling thread.
final class Pace {
    private final long start;
    private final double nanosPerMessage;

    /// @param perSecond 0 for as fast as possible
    Pace(long startNanos, double perSecond) {
        this.start = startNanos;
        this.nanosPerMessage = perSecond <= 0 ? 0 : 1e9 / perSecond;
    }

    boolean steady() {
        return nanosPerMessage > 0;
    }

    /// When the message of that number is due, on the clock of System.nanoTime.
    long due(long number) {
        return start + (long) (number * nanosPerMessage);
    }

    /// Waits until it is due; returns at once when that has passed.
    void await(long due) {
        long remaining = due - System.nanoTime();
        while (remaining > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, remaining);
            remaining = due - System.nanoTime();
        }
    }
}
