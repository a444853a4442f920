package io.sluice.listener.limit;

import java.time.Duration;

/// Estimates how many jobs wait at the service behind the lane, from how much longer than the shortest known time they take, and keeps that number small
/// (TCP Vegas, as in Netflix's concurrency-limits). For I/O-bound lanes whose jobs are alike; steadier than [GradientLimit], slower to move.
///
/// ```
///  waiting = limit × (1 − shortest time / mean time)
///  waiting < 3·log₁₀ limit → up      waiting > 6·log₁₀ limit → down      between → stays
/// ```
/// The shortest time is measured anew now and then, with half as many jobs for one window: otherwise a service that has become slower for good would
/// look like one that is overloaded.
///
/// Owned by its lane, called under its lock. Pure.
public final class VegasLimit implements Limit {
    private static final int TRUSTS_FOR_WINDOWS = 200;
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
    }

    private final Settings settings;
    private int limit;
    private double shortestNanos = Double.MAX_VALUE;
    private int windowsSinceLook;

    /// The limit to go back to after the look at the shortest time; 0: it does not look.
    private int before;

    private String reason = "has not measured yet";

    public VegasLimit(Settings settings) {
        this.settings = settings;
        this.limit = settings.first();
    }

    @Override
    public int current() {
        return limit;
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
            limit = Math.max(1, (int) (limit * ON_TROUBLE));
            before = 0;
            reason = "halved to " + limit + ": " + trouble(window);
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
            reason = "stays at " + limit + ": the lane is not full, so there is nothing to learn";
        } else if (++windowsSinceLook > TRUSTS_FOR_WINDOWS) {
            before = limit;
            limit = Math.max(1, limit / 2);
            reason = limit + " for one window, to measure the shortest time anew";
        } else {
            follow(limit * (1 - shortestNanos / nanos));
        }
    }

    private void follow(double waiting) {
        double step = Math.max(1, Math.log10(limit));
        if (waiting < FEW_WAIT * step) {
            limit = Math.min(settings.greatest(), limit + (int) step);
        } else if (waiting > MANY_WAIT * step) {
            limit = Math.max(1, limit - (int) step);
        }
        reason = "%d: about %.1f jobs wait at the service".formatted(limit, waiting);
    }

    private static String trouble(Window window) {
        return window.pressure().tooMuch()
                ? window.pressure().why()
                : "%.0f %% of the jobs fail".formatted(100 * window.errorRate());
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
