package io.sluice.outbox;

import java.time.Duration;

/// When the publishing thread sleeps and what wakes it: pauses double while nothing happens and start small again after an event.
///
/// Thread-safe: a monitor.
final class Waking {
    private static final long SHORTEST_MILLIS = 1;
    private static final Duration TO_FINISH = Duration.ofSeconds(5);

    /// So many rounds in a row that found something, without a sleep worth the name, mean load.
    private static final int HOT = 6;

    private static final long SLEPT_WELL_NANOS = 20_000_000;

    private long nextMillis = SHORTEST_MILLIS;
    private int streak;
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

    /// A round has found something, and there is no more of it.
    synchronized void found() {
        nextMillis = SHORTEST_MILLIS;
        streak++;
    }

    /// A round has found nothing.
    synchronized void cool() {
        streak = 0;
    }

    /// Whether the next look will most likely find something.
    synchronized boolean isHot() {
        return streak >= HOT;
    }

    /// Sleeps; who could sleep for some time is not under load.
    synchronized void untilRung(Duration longest) throws InterruptedException {
        long began = System.nanoTime();
        sleep(longest);
        if (System.nanoTime() - began > SLEPT_WELL_NANOS) {
            streak = 0;
        }
    }

    /// Nothing was found: sleeps, each time for longer, until somebody rings.
    synchronized void idle(Duration longest) throws InterruptedException {
        sleep(Duration.ofMillis(Math.min(nextMillis, longest.toMillis())));
        nextMillis = Math.min(nextMillis * 2, longest.toMillis());
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
