package io.sluice.listener.limit;

import java.time.Duration;

/// What limits of lanes that wait for a service have in common: a number between 1 and its bound, windows to learn from, and fewer jobs at once when the
/// machine is at its end or too many of them fail. How the service is followed while all is well, each says itself.
///
/// Owned by its lane, called under its lock. Pure.
abstract sealed class ServiceLimit implements Limit permits AimdLimit, ResponseTimeLimit {
    /// @param errorRate above this share of failures it goes down
    /// @param window how long to measure at least
    /// @param jobs how many jobs a window needs at least
    record Frame(int first, int greatest, double errorRate, Duration window, int jobs) {}

    private final Frame frame;
    private double limit;
    private String reason = "has not measured yet";

    ServiceLimit(Frame frame) {
        this.frame = frame;
        this.limit = frame.first();
    }

    /// Learns from a window in which nothing went wrong.
    abstract void follow(Window window);

    /// How many are left of so many when something is wrong.
    abstract double fewer(double jobs);

    /// The number was changed by trouble or by hand: whatever was being tried with another one is over.
    abstract void disturbed();

    /// Exact: steps may be smaller than a job.
    final double limit() {
        return limit;
    }

    /// As far as the bounds let it.
    final void move(double to) {
        limit = Math.clamp(to, 1, frame.greatest());
    }

    final void because(String why) {
        reason = why;
    }

    /// Moves to fewer jobs.
    final void retreat(String why) {
        int before = current();
        move(fewer(limit));
        because("went down from " + before + " to " + current() + ": " + why);
    }

    @Override
    public final int current() {
        return (int) Math.round(limit);
    }

    @Override
    public final int greatest() {
        return frame.greatest();
    }

    @Override
    public final boolean enough(Window window) {
        return window.pressure().concerns(progress())
                || Limit.enough(window, frame.window(), frame.jobs());
    }

    @Override
    public final void on(Window window) {
        String alarm = window.alarm(progress(), frame.errorRate());
        if (alarm == null) {
            follow(window);
        } else {
            disturbed();
            retreat(alarm);
        }
    }

    @Override
    public final void set(int newLimit) {
        Bounds.requireInside(newLimit, frame.greatest());
        disturbed();
        move(newLimit);
        because("set to " + newLimit + " by hand");
    }

    @Override
    public final String reason() {
        return reason;
    }
}
