package io.sluice.listener.lane;

import java.util.concurrent.Executor;

/// The threads that lanes use by default.
final class Executors {
    private Executors() {}

    /// A virtual thread per job: costs nothing when idle, and the lane's limit bounds their number.
    static Executor virtualThreads(String lane) {
        Thread.Builder threads = Thread.ofVirtual().name("sluice-" + lane + "-", 0);
        return job -> threads.start(job);
    }
}
