package io.sluice.listener.limit;

import java.time.Duration;

/// Follows the jobs' time: up while it stays near the shortest known one, down in proportion when it grows. For I/O-bound lanes whose jobs are
/// alike, in front of a service that slows down before it fails.
///
/// Owned by its lane, called under its lock. Pure.
public final class GradientLimit extends ResponseTimeLimit {
    private static final double STEEPEST = 0.5;
    private static final double SMOOTHING = 0.3;

    /// @param tolerance how much longer than the shortest a job may take, as a factor
    public record Settings(
            int first,
            int greatest,
            double tolerance,
            double errorRate,
            Duration window,
            int jobs) {
        public Settings {
            Bounds.requireInside(first, greatest);
            if (!(tolerance >= 1)) {
                throw new IllegalArgumentException(
                        "The tolerance is a factor of at least 1, not " + tolerance);
            }
        }

        public static Settings of(int first, int greatest) {
            return new Settings(first, greatest, 1.1, 0.1, Duration.ofSeconds(2), 20);
        }

        private Frame frame() {
            return new Frame(first, greatest, errorRate, window, jobs);
        }
    }

    private final double tolerance;

    public GradientLimit(Settings settings) {
        super(settings.frame());
        this.tolerance = settings.tolerance();
    }

    @Override
    double fewer(double jobs) {
        return jobs * STEEPEST;
    }

    @Override
    void follow(double nanos, double shortest) {
        double gradient = Math.clamp(tolerance * shortest / nanos, STEEPEST, 1);
        double wanted = limit() * gradient + Math.sqrt(limit());
        move(limit() + SMOOTHING * (wanted - limit()));
        because(
                "%d: a job takes %.2f times the shortest known time"
                        .formatted(current(), nanos / shortest));
    }
}
