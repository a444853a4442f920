package io.sluice.coordinator;

import io.sluice.env.Clock;
import java.time.Duration;

/// The time at which a command is decided; comes in with the command, since a machine may not ask. Immutable.
///
/// @param wallMillis for what is written down and shown; may jump
/// @param nanos monotonic, for deadlines; means nothing after a restart
/// @param dateIsTrusted otherwise nothing is old by `wallMillis`: it has jumped, and nobody knows yet whether it is right
public record Moment(long wallMillis, long nanos, boolean dateIsTrusted) {
    public static Moment of(Clock clock, boolean dateIsTrusted) {
        return new Moment(clock.wallMillis(), clock.monotonicNanos(), dateIsTrusted);
    }

    /// A deadline that far ahead.
    public long after(Duration delay) {
        return nanos + delay.toNanos();
    }

    public boolean hasReached(long deadlineNanos) {
        return deadlineNanos <= nanos;
    }
}
