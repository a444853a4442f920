package io.sluice.controller;

import io.sluice.env.Mailbox;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// One alarm, set to the earliest moment that was asked for. Owned by its mailbox.
final class WakeUp {
    private static final long NEVER = Long.MAX_VALUE;

    private final Mailbox owner;
    private final Runnable work;
    private Mailbox.@Nullable Timer timer;
    private long setTo = NEVER;

    WakeUp(Mailbox owner, Runnable work) {
        this.owner = owner;
        this.work = work;
    }

    /// An alarm that is set to an earlier moment stays: the work finds out what is due.
    void at(long moment, long now) {
        if (moment == NEVER || moment >= setTo) {
            return;
        }
        Mailbox.Timer old = timer;
        if (old != null) {
            old.cancel();
        }
        setTo = moment;
        timer =
                owner.schedule(
                        Duration.ofNanos(Math.max(0, moment - now)),
                        () -> {
                            setTo = NEVER;
                            timer = null;
                            work.run();
                        });
    }
}
