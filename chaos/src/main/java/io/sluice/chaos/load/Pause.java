package io.sluice.chaos.load;

import java.time.Duration;

/// Waiting for time to pass.
final class Pause {
    private Pause() {}

    static void of(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", interrupted);
        }
    }
}
