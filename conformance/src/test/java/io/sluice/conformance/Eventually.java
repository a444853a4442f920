package io.sluice.conformance;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// Waits for what another process will do in its own time.
final class Eventually {
    private Eventually() {}

    /// Returns when the condition holds; fails with the state of things when it does not within the usual limit.
    static void holds(Supplier<String> state, BooleanSupplier condition) {
        holds(state, Clients.LIMIT, condition);
    }

    static void holds(Supplier<String> state, Duration limit, BooleanSupplier condition) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("Not within " + limit + ": " + state.get());
            }
            try {
                Thread.sleep(20);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new AssertionError(interrupted);
            }
        }
    }
}
