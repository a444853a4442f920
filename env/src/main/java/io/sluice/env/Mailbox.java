package io.sluice.env;

import java.time.Duration;

/// The one way to another owner's state: what is posted here runs on the owner's thread, in order, one at a time.
///
/// In production an owner is an event loop. The number of posts in flight is bounded by those who post: a connection
/// stops reading its socket at its limit of requests and bytes, background work has one job per partition.
/// Thread-safe: `post`, `schedule` and `isCurrent` may be called from anywhere.
public interface Mailbox {
    void post(Runnable work);

    /// True on the owner's own thread, where the owner's state may be touched directly.
    boolean isCurrent();

    /// Runs the work on the owner's thread after the delay, unless cancelled before.
    Timer schedule(Duration delay, Runnable work);

    /// Runs at once when already on the owner's thread, otherwise posts.
    default void run(Runnable work) {
        if (isCurrent()) {
            work.run();
        } else {
            post(work);
        }
    }

    /// A scheduled piece of work. Cancelling on the owner's thread is final: the work will not run.
    interface Timer {
        void cancel();
    }
}
