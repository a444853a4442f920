package io.sluice.listener;

import io.sluice.listener.guard.Guards;
import io.sluice.listener.lane.Lanes;
import io.sluice.listener.thread.SteadyThread;

/// Tells adaptive limits once a second how their lanes are doing. Decides nothing.
///
/// Owned by its listener; one thread of its own.
final class LimitDriver implements AutoCloseable {
    private static final long TICK_MILLIS = 1_000;

    private final Lanes lanes;
    private final Guards guards;
    private final SteadyThread thread;

    LimitDriver(Lanes lanes, Guards guards) {
        this.lanes = lanes;
        this.guards = guards;
        this.thread =
                new SteadyThread("sluice-limits", "Limits could not be looked after", this::round);
    }

    void start() {
        thread.start();
    }

    private boolean round() throws InterruptedException {
        Thread.sleep(TICK_MILLIS);
        lanes.tick(guards.look());
        return true;
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
