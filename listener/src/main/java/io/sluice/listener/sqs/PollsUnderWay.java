package io.sluice.listener.sqs;

import io.sluice.listener.message.Intake.Reservation;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/// The polls that are under way, and whether one of them waits.
///
/// ```
///  begins ──▶ asks ──no answer for a second──▶ waits: the queue is empty, it gets whatever comes next
///               │                                │   └──far beyond the long poll──▶ hangs, and counts for nothing
///               └────────────▶ ends ◀────────────┘
/// ```
/// Without it every slot that is freed while a poll waits would begin another one beside it, and an idle queue would be asked by as many as there may be, for ever.
///
/// Thread-safe. Time comes in with the call.
final class PollsUnderWay {
    /// A queue that has messages answers sooner.
    static final Duration WAITS_AFTER = Duration.ofSeconds(1);

    static final Duration HANGS_AFTER = Duration.ofSeconds(5);

    /// How long to wait before looking again: a poll may have begun to hang, the listener to stop.
    private static final long LOOK_MILLIS = 100;

    private final Map<Reservation, Long> begun = new HashMap<>();
    private final long hangsNanos;

    PollsUnderWay(Duration longPoll) {
        this.hangsNanos = longPoll.plus(HANGS_AFTER).toNanos();
    }

    synchronized void begins(Reservation poll, long nowNanos) {
        begun.put(poll, nowNanos);
    }

    synchronized void ends(Reservation poll) {
        begun.remove(poll);
        notifyAll();
    }

    synchronized boolean oneWaits(long nowNanos) {
        for (long since : begun.values()) {
            long age = nowNanos - since;
            if (age >= WAITS_AFTER.toNanos() && age < hangsNanos) {
                return true;
            }
        }
        return false;
    }

    /// Until none waits.
    synchronized void await(BooleanSupplier orElse) throws InterruptedException {
        while (!orElse.getAsBoolean() && oneWaits(System.nanoTime())) {
            wait(LOOK_MILLIS);
        }
    }
}
