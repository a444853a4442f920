package io.sluice.listener.limit;

import java.time.Duration;

/// Follows the jobs' time: up while it stays near the shortest known one, down in proportion when it grows. For I/O-bound lanes whose jobs are
/// alike, in front of a service that slows down before it fails.
///
/// The shortest time is measured anew now and then, with half as many jobs for one window. A long-term mean in its place, as others have it, learns
/// the overload as the new normal and drifts up without end.
///
/// Owned by its lane, called under its lock. Pure.
public final class GradientLimit implements Limit {
    private static final int TRUSTS_FOR_WINDOWS = 200;
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
    }

    private final Settings settings;
    private double limit;
    private double shortestNanos = Double.MAX_VALUE;
    private int windowsSinceLook;
    private double before;
    private String reason = "has not measured yet";

    public GradientLimit(Settings settings) {
        this.settings = settings;
        this.limit = settings.first();
    }

    @Override
    public int current() {
        return (int) Math.round(limit);
    }

    @Override
    public int greatest() {
        return settings.greatest();
    }

    @Override
    public boolean enough(Window window) {
        return window.pressure().tooMuch()
                || Limit.enough(window, settings.window(), settings.jobs());
    }

    @Override
    public void on(Window window) {
        if (window.pressure().tooMuch() || window.errorRate() > settings.errorRate()) {
            limit = Math.max(1, limit * STEEPEST);
            before = 0;
            reason =
                    "halved to "
                            + current()
                            + ": "
                            + (window.pressure().tooMuch()
                                    ? window.pressure().why()
                                    : "%.0f %% of the jobs fail"
                                            .formatted(100 * window.errorRate()));
            return;
        }
        double nanos = (double) window.meanJobTime().toNanos();
        if (nanos <= 0) {
            return;
        }
        if (before > 0) {
            shortestNanos = nanos;
            limit = before;
            before = 0;
            windowsSinceLook = 0;
            return;
        }
        shortestNanos = Math.min(shortestNanos, nanos);
        if (!window.saturated()) {
            reason =
                    "stays at "
                            + current()
                            + ": the lane is not full, so there is nothing to learn";
            return;
        }
        if (++windowsSinceLook > TRUSTS_FOR_WINDOWS) {
            before = limit;
            limit = Math.max(1, limit / 2);
            reason = current() + " for one window, to measure the shortest time anew";
            return;
        }
        double gradient = Math.clamp(settings.tolerance() * shortestNanos / nanos, STEEPEST, 1);
        double wanted = limit * gradient + Math.sqrt(limit);
        limit = Math.clamp(limit + SMOOTHING * (wanted - limit), 1, settings.greatest());
        reason =
                "%d: a job takes %.2f times the shortest known time"
                        .formatted(current(), nanos / shortestNanos);
    }

    @Override
    public void set(int newLimit) {
        Bounds.requireInside(newLimit, settings.greatest());
        limit = newLimit;
        before = 0;
        reason = "set to " + newLimit + " by hand";
    }

    @Override
    public String reason() {
        return reason;
    }
}
