package io.sluice.listener.thread;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A thread that does its rounds until it is ended, whatever one of them throws. Leases, acknowledgements and dead letters depend on such threads, and none of them may be
/// gone because a job has taken the memory: not even a log entry about it can be relied on then.
///
/// ```
///  start ──▶ round ⟲ ──says so, or is interrupted──▶ ended
///             └─ throws: an entry in the log if there is memory for one, a short pause, and on
/// ```
/// Thread-safe. What a round leaves half done is its own to find again.
public final class SteadyThread {
    private static final Logger log = LoggerFactory.getLogger(SteadyThread.class);

    /// What needs memory in each round must not make a hot loop of it.
    private static final Duration AFTER_FAILURE = Duration.ofMillis(100);

    /// What it does again and again.
    @FunctionalInterface
    public interface Round {
        /// @return whether there is another one
        boolean go() throws InterruptedException;
    }

    private final String failed;
    private final Round round;
    private final Thread thread;

    /// @param failed what to say when a round does not end well
    public SteadyThread(String name, String failed, Round round) {
        this.failed = failed;
        this.round = round;
        this.thread = Thread.ofPlatform().daemon(true).name(name).unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /// For whoever looks whether it lives.
    public Thread thread() {
        return thread;
    }

    public boolean alive() {
        return thread.isAlive();
    }

    /// There is something to do for it, if it is parked.
    public void unpark() {
        LockSupport.unpark(thread);
    }

    /// Ends it, in the middle of a round too.
    public void interrupt() {
        thread.interrupt();
    }

    /// @return whether it has ended in time
    public boolean join(Duration patience) throws InterruptedException {
        return thread.join(patience);
    }

    private void run() {
        boolean goesOn = true;
        while (goesOn) {
            try {
                goesOn = round.go();
            } catch (InterruptedException e) {
                goesOn = false;
            } catch (RuntimeException | Error e) {
                say(e);
                LockSupport.parkNanos(AFTER_FAILURE.toNanos());
            }
        }
    }

    private void say(Throwable why) {
        try {
            log.error("{}; goes on", failed, why);
        } catch (RuntimeException | Error e) {
            // There is not even memory for that.
        }
    }
}
