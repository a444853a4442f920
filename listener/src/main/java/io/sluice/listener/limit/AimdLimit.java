package io.sluice.listener.limit;

import java.time.Duration;

/// One more while all is well, a tenth fewer as soon as jobs fail or take too long. For lanes that wait for a service which says when it has enough.
///
/// Owned by its lane, called under its lock. Pure.
public final class AimdLimit extends ServiceLimit {
    private static final double DOWN = 0.9;

    /// @param tooSlow a mean job time above this counts as overload
    /// @param errorRate a share of failures above this too
    public record Settings(
            int first,
            int greatest,
            Duration tooSlow,
            double errorRate,
            Duration window,
            int jobs) {
        public Settings {
            Bounds.requireInside(first, greatest);
        }

        public static Settings of(int first, int greatest, Duration tooSlow) {
            return new Settings(first, greatest, tooSlow, 0.1, Duration.ofSeconds(2), 10);
        }

        private Frame frame() {
            return new Frame(first, greatest, errorRate, window, jobs);
        }
    }

    private final Duration tooSlow;

    public AimdLimit(Settings settings) {
        super(settings.frame());
        this.tooSlow = settings.tooSlow();
    }

    @Override
    double fewer(double jobs) {
        return Math.min(jobs - 1, Math.floor(jobs * DOWN));
    }

    @Override
    void follow(Window window) {
        if (window.meanJobTime().compareTo(tooSlow) > 0) {
            retreat("a job takes " + window.meanJobTime() + ", more than " + tooSlow);
        } else if (window.saturated() && current() < greatest()) {
            move(limit() + 1);
            because("went up to " + current() + ": jobs are fast enough");
        }
    }

    /// It tries nothing.
    @Override
    void disturbed() {}
}
