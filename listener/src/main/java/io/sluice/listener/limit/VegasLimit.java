package io.sluice.listener.limit;

import java.time.Duration;

/// Estimates how many jobs wait at the service behind the lane, from how much longer than the shortest known time they take, and keeps that number small
/// (TCP Vegas, as in Netflix's concurrency-limits). For I/O-bound lanes whose jobs are alike; steadier than [GradientLimit], slower to move.
///
/// ```
///  waiting = limit × (1 − shortest time / mean time)
///  waiting < 3·log₁₀ limit → up      waiting > 6·log₁₀ limit → down      between → stays
/// ```
/// Owned by its lane, called under its lock. Pure.
public final class VegasLimit extends ResponseTimeLimit {
    private static final double FEW_WAIT = 3;
    private static final double MANY_WAIT = 6;
    private static final double ON_TROUBLE = 0.5;

    public record Settings(int first, int greatest, double errorRate, Duration window, int jobs) {
        public Settings {
            Bounds.requireInside(first, greatest);
        }

        public static Settings of(int first, int greatest) {
            return new Settings(first, greatest, 0.1, Duration.ofSeconds(2), 20);
        }

        private Frame frame() {
            return new Frame(first, greatest, errorRate, window, jobs);
        }
    }

    public VegasLimit(Settings settings) {
        super(settings.frame());
    }

    @Override
    double fewer(double jobs) {
        return Math.floor(jobs * ON_TROUBLE);
    }

    @Override
    void follow(double nanos, double shortest) {
        double waiting = limit() * (1 - shortest / nanos);
        double step = Math.max(1, Math.log10(limit()));
        if (waiting < FEW_WAIT * step) {
            move(limit() + Math.floor(step));
        } else if (waiting > MANY_WAIT * step) {
            move(limit() - Math.floor(step));
        }
        because("%d: about %.1f jobs wait at the service".formatted(current(), waiting));
    }
}
