package io.sluice.controller;

import io.sluice.env.Clock;
import java.time.Duration;

/// Whether this broker can take for granted what the plan last said of it. Whoever was stopped, or cut off, for as long as it takes to be held for dead may have been replaced without having heard of it: it must not
/// answer from memory what somebody else decides by now.
///
/// ```
///              nothing for the timeout, withdrawn
///   certain ───────────────────────────────────────▶ in doubt
///   ▲  │ ▲                                               │
///   └──┘ └──────── confirmed ────────────────────────────┘
///   prolonged, confirmed
/// ```
/// What counts is when a confirmation was asked for, not when it came: that may have waited in a socket all the while. A broker whose metadata store nobody else uses cannot be replaced: once confirmed, it stays certain.
///
/// Owned by the controller's mailbox; [#isCertain] is thread-safe.
public final class Standing {
    private final Clock clock;
    private final long timeout;
    private final boolean replaceable;
    private volatile long asOf;
    private volatile boolean confirmed;

    /// In doubt, at first.
    ///
    /// @param timeout how long nothing may be heard of a broker before others take its place
    /// @param replaceable whether there can be others
    Standing(Clock clock, Duration timeout, boolean replaceable) {
        this.clock = clock;
        this.timeout = timeout.toNanos();
        this.replaceable = replaceable;
    }

    /// Whoever decides about it knew at this moment, or later, that this broker lives and keeps its place.
    void confirmed(long moment) {
        if (!confirmed || moment - asOf > 0) {
            asOf = moment;
            confirmed = true;
        }
    }

    /// Nobody has said otherwise, and this broker was awake and in touch with others at this moment. Does not end a doubt.
    void prolonged(long moment) {
        if (isCertain()) {
            confirmed(moment);
        }
    }

    /// The controller says that this broker has lost its place.
    void withdrawn() {
        confirmed = false;
    }

    public boolean isCertain() {
        return confirmed && (!replaceable || clock.monotonicNanos() - asOf < timeout);
    }
}
