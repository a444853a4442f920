package io.sluice.listener.lane;

import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import org.jspecify.annotations.Nullable;

/// A message inside the process: from the moment it has a slot until the slot is free again. Holds exactly one permit of its lane.
///
/// ```
///  WAITING (behind its key) ──▶ RUNNING ──▶ LANDED
///      └────────── cancelled, handed back ─────▲
/// ```
/// The verdict is found once, by the job or by whoever cancels it, and only the first one counts. A cancelled job keeps its slot until its
/// thread has really come back: a slot is a claim about threads, not about wishes.
///
/// Owned by [Lanes], read and written under its lock.
final class Flight {
    enum State {
        WAITING,
        RUNNING,
        LANDED
    }

    final Message message;
    final Lane lane;
    final @Nullable String orderKey;
    final long receivedNanos;

    State state = State.WAITING;
    @Nullable Thread runner;
    @Nullable Settlement verdict;

    /// Whether its source has heard the verdict.
    boolean told;

    /// Whether no thread works on it any more, or ever will.
    boolean back;

    /// Whether its dead letter is on its way: nobody knows yet whether it has ended or comes again.
    boolean burying;

    /// Whether somebody lets it go. Written without the lock where that has failed: to take the lock for it may need what there is not.
    private volatile boolean left;

    volatile @Nullable String cancelled;
    long startedNanos;

    /// When its thread came back.
    long endedNanos;

    /// The attempt that runs, or will be the first.
    volatile int attempt;

    /// CPU time of its thread that has been counted already.
    long cpuSeenNanos;

    /// What its thread had allocated before.
    long allocatedBeforeBytes;

    /// What its job has allocated so far, as of the last look, or [AllocationMeter#UNKNOWN].
    long allocatedBytes;

    volatile double size = 1;

    Flight(Message message, Lane lane, long receivedNanos) {
        this.message = message;
        this.lane = lane;
        this.orderKey = lane.settings().order().keyOf(message);
        this.receivedNanos = receivedNanos;
        this.attempt = message.attempt();
    }

    /// Whether it is to be let go now: its source has been told, its dead letter is safe or never will be, and its thread is back. True once, unless it [stays][#stay].
    boolean takeLeave() {
        boolean now = told && back && !burying && !left;
        if (now) {
            left = true;
        }
        return now;
    }

    /// It could not be let go: somebody has to do it later.
    void stay() {
        left = false;
    }
}
