package io.sluice.node;

import io.sluice.env.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whether the machine's date may decide that something is old enough to be deleted: a date that leaps ahead would make everything so, and what is deleted does not come back when the date does.
///
/// The date is compared with the monotonic clock of this process, from look to look.
/// ```
///   TRUSTED ── it has leapt, by more than [#LEAP] ──▶ DOUBTED ── another leap: counts anew ──┐
///      ▲  ▲                                            │ │ ▲                                 │
///      │  └────────── it is back where it was ─────────┘ │ └─────────────────────────────────┘
///      └────────── it has gone on evenly for [#PROOF] ───┘
/// ```
/// So a machine that was suspended, which looks the same, deletes again after that time, and a process that is started again believes the date it finds. Owned by the controller's mailbox; [#isTrusted] is thread-safe.
final class ClockTrust {
    /// More than a clock is ever set by to be right, and less than anybody keeps records for.
    static final Duration LEAP = Duration.ofMinutes(10);

    /// Long enough for a person to hear of it.
    static final Duration PROOF = Duration.ofHours(6);

    private static final Logger LOG = LoggerFactory.getLogger(ClockTrust.class);

    private final Clock clock;
    private volatile long trustedMillis;
    private long doubtedMillis;
    private long doubtedSinceNanos;
    private volatile boolean doubted;

    ClockTrust(Clock clock) {
        this.clock = clock;
        this.trustedMillis = aheadOf(clock.wallMillis(), clock.monotonicNanos());
    }

    /// How far the date is ahead of the monotonic clock, whose zero is anywhere.
    private static long aheadOf(long wallMillis, long nanos) {
        return wallMillis - TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    /// True when the date may be believed. To be asked more often than [#LEAP] passes.
    boolean look() {
        long nanos = clock.monotonicNanos();
        long now = aheadOf(clock.wallMillis(), nanos);
        if (isNear(now, trustedMillis)) {
            if (doubted) {
                LOG.warn(
                        "The machine's date is back where it was; records are deleted by age again");
            }
            return trust(now);
        }
        if (!doubted || !isNear(now, doubtedMillis)) {
            doubted = true;
            doubtedSinceNanos = nanos;
            LOG.error(
                    "The machine's date has leapt by {} s. Nothing is deleted by age before it has gone on evenly for {} h; if it is wrong, set it right before that, and if it is right and you cannot wait, start the broker again",
                    TimeUnit.MILLISECONDS.toSeconds(now - trustedMillis),
                    PROOF.toHours());
        }
        doubtedMillis = now;
        if (nanos - doubtedSinceNanos < PROOF.toNanos()) {
            return false;
        }
        LOG.warn("The machine's date has gone on evenly; records are deleted by age again");
        return trust(now);
    }

    /// As of the last look, and true only if the date has not leapt since: what is deleted between two looks does not come back either. Thread-safe.
    boolean isTrusted() {
        return !doubted
                && isNear(aheadOf(clock.wallMillis(), clock.monotonicNanos()), trustedMillis);
    }

    /// In this order: whoever asks in between is told that the date is not trusted.
    private boolean trust(long now) {
        doubted = false;
        trustedMillis = now; // Clocks drift, and are drawn after each other slowly.
        return true;
    }

    private static boolean isNear(long one, long other) {
        return Math.abs(one - other) <= LEAP.toMillis();
    }
}
