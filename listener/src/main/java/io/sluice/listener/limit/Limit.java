package io.sluice.listener.limit;

import java.time.Duration;

/// How many jobs a lane runs at once.
///
/// Owned by its lane, called under its lock.
public interface Limit {
    /// What an adaptive limit counts as progress.
    enum Progress {
        /// Finished jobs, by their size. For work that waits for others, or uses threads of its own.
        WORK,
        /// CPU time of the lane's own platform threads. For work that computes: says more about a few long jobs than counting them.
        CPU
    }

    /// At the moment, at least 1.
    int current();

    /// Never more than this: threads and memory have to be enough for it.
    int greatest();

    /// Whether it learns from windows at all.
    default boolean adaptive() {
        return true;
    }

    default Progress progress() {
        return Progress.WORK;
    }

    /// Whether a window says enough to learn from. It goes on growing until it does.
    boolean enough(Window window);

    /// Learns from a window, and perhaps moves.
    void on(Window window);

    /// Somebody has set it by hand; an adaptive limit goes on from there.
    ///
    /// @throws IllegalArgumentException when it is below 1 or above [#greatest]
    void set(int limit);

    /// For people: why it is what it is.
    String reason();

    /// Long enough, and with enough jobs in it. A window without saturation ends as well, since nothing will come of it.
    static boolean enough(Window window, Duration shortest, int jobs) {
        return window.length().compareTo(shortest) >= 0
                && (window.completed() + window.failed() >= jobs
                        || window.saturation() < Window.SATURATED);
    }
}
