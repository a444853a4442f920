package io.sluice.listener.failure;

import java.time.Duration;

/// How long to wait before the next attempt, and how many attempts there are.
///
/// Immutable.
///
/// @param first the pause after the first failure
/// @param factor what each further pause is multiplied with
/// @param longest no pause is longer
/// @param attempts how often the work is tried in all
/// @param jitter the share of a pause that is left to chance, so that what failed together does not come again together
public record Backoff(
        Duration first, double factor, Duration longest, int attempts, double jitter) {
    public Backoff {
        if (first.isNegative() || longest.compareTo(first) < 0) {
            throw new IllegalArgumentException(
                    "Pauses go from first to longest: " + first + " to " + longest + " does not.");
        }
        if (!(factor >= 1)) {
            throw new IllegalArgumentException(
                    "The factor of a back-off is at least 1, not " + factor);
        }
        if (attempts < 1) {
            throw new IllegalArgumentException("There is at least 1 attempt, not " + attempts);
        }
        if (!(jitter >= 0 && jitter <= 1)) {
            throw new IllegalArgumentException("Jitter is a share from 0 to 1, not " + jitter);
        }
    }

    /// Five attempts within about half a minute.
    public static Backoff standard() {
        return exponential(Duration.ofSeconds(1), Duration.ofMinutes(1), 5);
    }

    public static Backoff exponential(Duration first, Duration longest, int attempts) {
        return new Backoff(first, 2, longest, attempts, 0.2);
    }

    public static Backoff constant(Duration pause, int attempts) {
        return new Backoff(pause, 1, pause, attempts, 0);
    }

    /// @param failures how often the work has failed so far, from 1
    /// @param chance from 0 to 1
    public Duration pauseAfter(int failures, double chance) {
        double pause = (double) first.toMillis() * Math.pow(factor, failures - 1);
        double bounded = Math.min(pause, (double) longest.toMillis());
        return Duration.ofMillis((long) (bounded * (1 - jitter * chance)));
    }
}
