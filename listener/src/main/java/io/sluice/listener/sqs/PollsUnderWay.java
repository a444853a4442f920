package io.sluice.listener.sqs;

import io.sluice.listener.message.Intake.Reservation;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The polls that are under way, and whether another one may begin beside them.
///
/// ```
///  begins ──▶ asks ──no answer for a second──▶ waits: the queue is empty, it gets whatever comes next
///               │                                │   └──far beyond the long poll──▶ hangs, and counts for nothing
///               └────────────▶ ends ◀────────────┘
/// ```
/// One that asks for as many as an answer can have begins beside others, unless one waits. One that asks for fewer begins alone: what gets free until the one before is
/// back goes into one request. Otherwise every slot that is freed while a poll is under way would begin another one for itself: an idle queue would be asked by as many as
/// there may be, for ever, and with short jobs each message would cost a request.
///
/// Thread-safe. Time comes in with the call.
final class PollsUnderWay {
    /// A queue that has messages answers sooner.
    static final Duration WAITS_AFTER = Duration.ofSeconds(1);

    static final Duration HANGS_AFTER = Duration.ofSeconds(5);

    /// How long to wait before looking again: a poll may have begun to hang, the listener to stop.
    private static final long LOOK_MILLIS = 100;

    private final Map<Reservation, Long> begun = new HashMap<>();
    private long ended;
    private final int most;
    private final long hangsNanos;

    /// @param most that one answer can have
    PollsUnderWay(int most, Duration longPoll) {
        this.most = most;
        this.hangsNanos = longPoll.plus(HANGS_AFTER).toNanos();
    }

    synchronized void begins(Reservation poll, long nowNanos) {
        begun.put(poll, nowNanos);
    }

    synchronized void ends(Reservation poll) {
        begun.remove(poll);
        ended++;
        notifyAll();
    }

    /// Whether a poll for so many has to wait for those under way.
    synchronized boolean holdUp(int size, long nowNanos) {
        for (long since : begun.values()) {
            long age = nowNanos - since;
            boolean concerns = size < most || age >= WAITS_AFTER.toNanos();
            if (concerns && age < hangsNanos) {
                return true;
            }
        }
        return false;
    }

    /// How many have come back.
    synchronized long ended() {
        return ended;
    }

    /// Until more than so many have come back, or it is time to look again.
    synchronized void awaitMoreThan(long before) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS);
        long left = LOOK_MILLIS;
        while (ended == before && left > 0) {
            wait(left);
            left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
        }
    }
}
