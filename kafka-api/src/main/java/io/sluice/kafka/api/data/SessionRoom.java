package io.sluice.kafka.api.data;

import java.util.concurrent.atomic.AtomicInteger;

/// How many partitions all fetch sessions of this broker may remember. Without room a client has no session and names its partitions each time, as the protocol
/// provides (KIP-227). Thread-safe: one counter.
final class SessionRoom {
    private final int limit;
    private final AtomicInteger taken = new AtomicInteger();

    SessionRoom(int limit) {
        this.limit = limit;
    }

    /// False when there is not so much room; then nothing is taken. Giving back, with a negative number, always works.
    boolean take(int partitions) {
        int before = taken.get();
        while (partitions <= 0 || before + partitions <= limit) {
            if (taken.compareAndSet(before, before + partitions)) {
                return true;
            }
            before = taken.get();
        }
        return false;
    }

    int taken() {
        return taken.get();
    }
}
