package io.sluice.benchmarks.measure;

import java.time.Duration;

/// Lets time pass where passing time is what is measured.
final class Pause {
    private Pause() {}

    static void of(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting", interrupted);
        }
    }
}
