package io.sluice.outbox.bench;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Ends a turn that takes too long, so that what hangs costs its own row of the table and nothing else.
///
/// Thread-safe: a monitor. A thread waits for the end of the turn or of the time; the thread that measures makes and closes it.
final class TurnLimit implements AutoCloseable {
    private final Duration longest;
    private final Runnable abandon;
    private final Thread measuring = Thread.currentThread();
    private final CountDownLatch over = new CountDownLatch(1);
    private boolean closed;
    private boolean exceeded;

    private TurnLimit(Duration longest, Runnable abandon) {
        this.longest = longest;
        this.abandon = abandon;
    }

    /// @param abandon makes whatever the turn waits for end
    static TurnLimit start(Duration longest, Runnable abandon) {
        TurnLimit limit = new TurnLimit(longest, abandon);
        Thread.ofPlatform().daemon().name("turn-limit").start(limit::watch);
        return limit;
    }

    private void watch() {
        try {
            if (!over.await(longest.toMillis(), TimeUnit.MILLISECONDS)) {
                end();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void end() {
        if (!closed) {
            exceeded = true;
            abandon.run();
            measuring.interrupt();
        }
    }

    synchronized boolean isExceeded() {
        return exceeded;
    }

    /// The next turn is not to feel an interruption that was meant for this one.
    @Override
    public void close() {
        over.countDown();
        synchronized (this) {
            closed = true;
            if (exceeded) {
                Thread.interrupted();
            }
        }
    }
}
