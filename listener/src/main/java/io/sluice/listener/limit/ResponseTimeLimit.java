package io.sluice.listener.limit;

/// A limit that compares the jobs' time with the shortest known one: what a job takes when nobody waits at the service behind the lane.
///
/// ```
///  follows ──200 full windows──▶ looks: half as many jobs for one window ──▶ follows, with what that window took
///     ▲                            │ trouble, or set by hand
///     └────────────────────────────┘
/// ```
/// The shortest time is measured anew now and then because a service that has become slower for good would look like one that is overloaded. A long-term mean
/// in its place, as others have it, learns the overload as the new normal and drifts up without end.
///
/// Owned by its lane, called under its lock. Pure: time is counted in windows.
abstract sealed class ResponseTimeLimit extends ServiceLimit permits GradientLimit, VegasLimit {
    static final int TRUSTS_FOR_WINDOWS = 200;

    private double shortestNanos = Double.MAX_VALUE;
    private int windowsSinceLook;

    /// The limit to go back to after a look; 0: it does not look.
    private double before;

    ResponseTimeLimit(Frame frame) {
        super(frame);
    }

    /// The lane was full: what the jobs took says something about the limit.
    abstract void follow(double nanos, double shortest);

    @Override
    final void follow(Window window) {
        double nanos = (double) window.meanJobTime().toNanos();
        if (nanos <= 0) {
            return;
        }
        if (before > 0) {
            shortestNanos = nanos;
            windowsSinceLook = 0;
            move(before);
            before = 0;
            return;
        }
        shortestNanos = Math.min(shortestNanos, nanos);
        if (!window.saturated()) {
            because(
                    "stays at "
                            + current()
                            + ": the lane is not full, so there is nothing to learn");
        } else if (++windowsSinceLook > TRUSTS_FOR_WINDOWS) {
            before = limit();
            move(before / 2);
            because(current() + " for one window, to measure the shortest time anew");
        } else {
            follow(nanos, shortestNanos);
        }
    }

    @Override
    final void disturbed() {
        before = 0;
    }
}
