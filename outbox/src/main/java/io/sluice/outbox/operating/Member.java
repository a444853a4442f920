package io.sluice.outbox.operating;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// A relay process as the tables know it.
///
/// Immutable.
///
/// @param leaseLeft until it is taken for dead; negative if it should be
public record Member(
        long number, String name, Instant joinedAt, Duration leaseLeft, List<Integer> lanes) {
    public Member {
        lanes = List.copyOf(lanes);
    }

    public boolean isAlive() {
        return !leaseLeft.isNegative();
    }
}
