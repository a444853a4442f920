package io.sluice.env;

import java.util.UUID;

/// Where random numbers come from. Thread-safe in production; seeded and single-threaded in the simulation.
public interface Entropy {
    long nextLong();

    /// A version 4 UUID.
    default UUID nextUuid() {
        long high = (nextLong() & 0xffffffffffff0fffL) | 0x0000000000004000L;
        long low = (nextLong() & 0x3fffffffffffffffL) | 0x8000000000000000L;
        return new UUID(high, low);
    }
}
