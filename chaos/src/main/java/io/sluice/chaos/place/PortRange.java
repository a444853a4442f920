package io.sluice.chaos.place;

import java.util.concurrent.ThreadLocalRandom;

/// The ports that brokers may have on the loopback interface, which they share with everything else on the machine.
///
/// Below the range that outgoing connections get theirs from: a client that calls a dead broker again and again may otherwise be given the very port that it calls, and the broker cannot have it back.
///
/// Thread-safe: it has no state.
public final class PortRange {
    private static final int FIRST = 15_000;
    private static final int BEHIND_LAST = 32_000;

    private PortRange() {}

    /// One of them by lot; whoever wants it tries whether it is free.
    public static int draw() {
        return ThreadLocalRandom.current().nextInt(FIRST, BEHIND_LAST);
    }
}
