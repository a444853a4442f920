package io.sluice.chaos.load;

import java.util.concurrent.atomic.AtomicLongArray;

/// When each partition was last heard of: the time of its latest acknowledgement.
///
/// Thread-safe: atomics, written by the producers' threads.
final class Pulse {
    private static final long NEVER = Long.MIN_VALUE;

    private final AtomicLongArray latest;

    Pulse(int partitions) {
        latest = new AtomicLongArray(partitions);
        for (int partition = 0; partition < partitions; partition++) {
            latest.set(partition, NEVER);
        }
    }

    void beat(int partition, long atNanos) {
        latest.accumulateAndGet(partition, atNanos, Math::max);
    }

    boolean allSince(long nanos) {
        for (int partition = 0; partition < latest.length(); partition++) {
            if (latest.get(partition) < nanos) {
                return false;
            }
        }
        return true;
    }
}
