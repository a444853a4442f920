package io.sluice.listener;

import java.time.Duration;
import java.util.concurrent.Callable;

/// Waits for what has to happen, for as long as a slow machine may need; returns as soon as it has.
public final class Eventually {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private Eventually() {}

    public static void until(String what, Callable<Boolean> happened) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!happened.call()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("Did not happen: " + what);
            }
            Thread.sleep(10);
        }
    }
}
