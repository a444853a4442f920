package io.sluice.outbox;

import java.time.Duration;
import java.util.function.Consumer;

/// What a relay in compat or set mode counts, with the meaning that [RelayStatus] gives the same words.
///
/// Thread-safe: a monitor.
public final class RelayCounts {
    private final Consumer<Duration> latency;
    private long published;
    private long polls;
    private long emptyPolls;
    private long parked;
    private int parkedKeys;
    private boolean caughtUp;
    private long caughtUpAtNanos = System.nanoTime();
    private long oldestAtNanos = caughtUpAtNanos;
    private long readAtNanos = caughtUpAtNanos;

    /// @param latency gets the time from each event's insertion to its acknowledgement, where the table tells it
    public RelayCounts(Consumer<Duration> latency) {
        this.latency = latency;
    }

    /// A look at the table.
    ///
    /// @param found how many events
    /// @param oldestMicros age of the oldest of them; negative if the table does not tell
    public synchronized void looked(int found, long oldestMicros) {
        readAtNanos = System.nanoTime();
        polls++;
        if (found == 0) {
            emptyPolls++;
            return;
        }
        if (oldestMicros >= 0) {
            oldestAtNanos = readAtNanos - oldestMicros * 1_000;
        } else if (caughtUp) {
            oldestAtNanos = readAtNanos;
        }
        caughtUp = false;
    }

    /// Nothing is left that is due.
    public synchronized void caughtUp() {
        caughtUp = true;
        caughtUpAtNanos = System.nanoTime();
    }

    /// @param ageMicros of the event when it was read; negative if the table does not tell
    public synchronized void acknowledged(long ageMicros) {
        if (ageMicros >= 0) {
            latency.accept(Duration.ofNanos(ageMicros * 1_000 + System.nanoTime() - readAtNanos));
        }
    }

    public synchronized void published(int events) {
        published += events;
    }

    public synchronized void parked() {
        parked++;
    }

    public synchronized void parkedKeys(int now) {
        parkedKeys = now;
    }

    public synchronized long published() {
        return published;
    }

    public synchronized long emptyPolls() {
        return emptyPolls;
    }

    synchronized long polls() {
        return polls;
    }

    synchronized long parkedSoFar() {
        return parked;
    }

    synchronized int parkedKeys() {
        return parkedKeys;
    }

    /// Zero if there is none. For a relay that is in trouble and cannot look, the time since there was none.
    public synchronized Duration oldestUnpublished(boolean isInTrouble) {
        if (caughtUp && !isInTrouble) {
            return Duration.ZERO;
        }
        return Duration.ofNanos(System.nanoTime() - (caughtUp ? caughtUpAtNanos : oldestAtNanos));
    }
}
