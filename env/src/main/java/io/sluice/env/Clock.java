package io.sluice.env;

/// What time it is. Thread-safe.
public interface Clock {
    /// Milliseconds since 1970, for timestamps that people and clients see. May jump.
    long wallMillis();

    /// For deadlines and durations. Never goes back; its origin means nothing.
    long monotonicNanos();
}
