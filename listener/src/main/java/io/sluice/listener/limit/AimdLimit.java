package io.sluice.listener.limit;

import java.time.Duration;

/// One more while all is well, a tenth fewer as soon as jobs fail or take too long. For lanes that wait for a service which says when it has enough.
///
/// Owned by its lane, called under its lock. Pure.
public final class AimdLimit implements Limit {
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
    }

    private final Settings settings;
    private int current;
    private String reason = "has not measured yet";

    public AimdLimit(Settings settings) {
        this.settings = settings;
        this.current = settings.first();
    }

    @Override
    public int current() {
        return current;
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
        if (window.pressure().tooMuch()) {
            down(window.pressure().why());
        } else if (window.errorRate() > settings.errorRate()) {
            down("%.0f %% of the jobs fail".formatted(100 * window.errorRate()));
        } else if (window.meanJobTime().compareTo(settings.tooSlow()) > 0) {
            down("a job takes " + window.meanJobTime() + ", more than " + settings.tooSlow());
        } else if (window.saturated() && current < settings.greatest()) {
            current++;
            reason = "went up to " + current + ": jobs are fast enough";
        }
    }

    private void down(String why) {
        int before = current;
        current = Math.max(1, Math.min(current - 1, (int) (current * DOWN)));
        reason = "went down from " + before + " to " + current + ": " + why;
    }

    @Override
    public void set(int limit) {
        Bounds.requireInside(limit, settings.greatest());
        current = limit;
        reason = "set to " + limit + " by hand";
    }

    @Override
    public String reason() {
        return reason;
    }
}
