package io.sluice.listener;

import io.sluice.listener.guard.Guards;
import io.sluice.listener.lane.Lanes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells adaptive limits once a second how their lanes are doing. Decides nothing.
///
/// Owned by its listener; one thread of its own.
final class LimitDriver implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LimitDriver.class);
    private static final long TICK_MILLIS = 1_000;

    private final Lanes lanes;
    private final Guards guards;
    private final Thread thread;

    LimitDriver(Lanes lanes, Guards guards) {
        this.lanes = lanes;
        this.guards = guards;
        this.thread = Thread.ofPlatform().daemon(true).name("sluice-limits").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                Thread.sleep(TICK_MILLIS);
                try {
                    lanes.tick(guards.look());
                } catch (RuntimeException | Error e) {
                    log.error("Limits could not be looked after; goes on in a second", e);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
