package io.sluice.outbox.lanes;

import java.util.List;

/// What one reading found: due events of all lanes in the order of their `ord`.
///
/// Immutable.
///
/// @param snapshot how the database looked when it was read
/// @param complete whether this is all that is due; otherwise more follow behind the last event
public record Page(String snapshot, List<Event> events, boolean complete) {
    private static final String NO_SNAPSHOT = "";

    /// Events that were not read from the table but came in the order of commits: how far they are is not the lanes' affair.
    public static Page ofStream(List<Event> events) {
        return new Page(NO_SNAPSHOT, events, false);
    }

    boolean isOfTable() {
        return !snapshot.equals(NO_SNAPSHOT);
    }

    public Page {
        events = List.copyOf(events);
    }
}
