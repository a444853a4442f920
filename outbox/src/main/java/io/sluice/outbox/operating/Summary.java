package io.sluice.outbox.operating;

import io.sluice.outbox.compat.Seat;
import java.time.Duration;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// An outbox at a glance.
///
/// Immutable.
///
/// @param mode who reads the table: `compat`, `log`, `wal`
/// @param members relays that can publish in this mode
/// @param lanes how many there are
/// @param uncovered lanes without a living owner
/// @param waiting committed events that are not published yet, parked ones excepted
/// @param waitingIsExact false if there are more than were counted
/// @param oldest age of the oldest of them; null if there is none, or the table has no `created_at`
/// @param pendingOfCompat events that belong to compat mode and are not published
/// @param parkedKeys aggregates that wait behind a refused event
/// @param parkedEvents refused events and those behind them
/// @param destinations topics and guarantees that the relays of log and wal mode have, as far as they say so; more than one is a mistake
/// @param totals how many instances those of compat mode believe in; more than one is a mistake, or a change on its way
public record Summary(
        String table,
        String mode,
        int members,
        int lanes,
        int uncovered,
        long waiting,
        boolean waitingIsExact,
        @Nullable Duration oldest,
        long pendingOfCompat,
        long parkedKeys,
        long parkedEvents,
        int destinations,
        int totals) {
    static int totals(Collection<Seat> seats) {
        return (int) seats.stream().map(Seat::total).distinct().count();
    }
}
