package io.sluice.outbox;

import java.time.Duration;

/// When the publishing thread sleeps and what wakes it: pauses double while nothing happens and start small again after an event.
///
/// Thread-safe: a monitor.
final class Waking {
    private static final long SHORTEST_MILLIS = 1;
    private static final long QUIET_MILLIS = 64;
    private static final Duration TO_FINISH = Duration.ofSeconds(5);

    private long nextMillis = SHORTEST_MILLIS;
    private boolean rung;
    private boolean stopping;
    private long finishUntilNanos;

    /// There may be something to do.
    synchronized void ring() {
        rung = true;
        notifyAll();
    }

    synchronized void stop() {
        stopping = true;
        finishUntilNanos = System.nanoTime() + TO_FINISH.toNanos();
        notifyAll();
    }

    synchronized boolean isStopping() {
        return stopping;
    }

    /// Whether what has begun may still be finished.
    synchronized boolean mayFinish() {
        return !stopping || System.nanoTime() - finishUntilNanos < 0;
    }

    synchronized void busy() {
        nextMillis = SHORTEST_MILLIS;
    }

    /// Whether nothing has happened for a while.
    synchronized boolean isQuiet() {
        return nextMillis >= QUIET_MILLIS;
    }

    /// Nothing was found: sleeps, each time for longer, until somebody rings.
    synchronized void idle(Duration longest) throws InterruptedException {
        sleep(Duration.ofMillis(Math.min(nextMillis, longest.toMillis())));
        nextMillis = Math.min(nextMillis * 2, Math.max(QUIET_MILLIS, longest.toMillis()));
    }

    /// Sleeps until somebody rings, or has rung since the last sleep.
    synchronized void sleep(Duration longest) throws InterruptedException {
        long until = System.nanoTime() + longest.toNanos();
        long millis = longest.toMillis();
        while (millis > 0 && !rung && !stopping) {
            wait(millis);
            millis = Duration.ofNanos(until - System.nanoTime()).toMillis();
        }
        rung = false;
    }

    /// Something failed: sleeps for that long whoever rings, unless the relay stops.
    synchronized void pause(Duration duration) throws InterruptedException {
        long until = System.nanoTime() + duration.toNanos();
        long left = duration.toMillis();
        while (left > 0 && !stopping) {
            wait(left);
            left = Duration.ofNanos(until - System.nanoTime()).toMillis();
        }
    }
}
