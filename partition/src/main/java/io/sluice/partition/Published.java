package io.sluice.partition;

/// What a partition's owner makes known to everybody. Thread-safe: written by the owner only, read by all; each value by itself is true.
final class Published {
    /// The newest plan that was taken in.
    volatile Assignment assignment;

    /// -1 when not open.
    volatile long highWatermark = -1;

    /// -1 when not open.
    volatile long startOffset = -1;

    volatile boolean offline;

    Published(Assignment assignment) {
        this.assignment = assignment;
    }
}
