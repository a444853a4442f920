package io.sluice.outbox.operating;

import io.sluice.outbox.membership.Destination;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A relay process as the tables know it.
///
/// Immutable.
///
/// @param leaseLeft until it is taken for dead; negative if it should be
/// @param destination where it publishes to; null if it does not say, or the table has no columns for that
public record Member(
        long number,
        String name,
        Instant joinedAt,
        Duration leaseLeft,
        List<Integer> lanes,
        @Nullable Destination destination) {
    public Member {
        lanes = List.copyOf(lanes);
    }

    public boolean isAlive() {
        return !leaseLeft.isNegative();
    }
}
