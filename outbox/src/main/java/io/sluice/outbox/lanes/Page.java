package io.sluice.outbox.lanes;

import java.util.List;

/// What one reading found: due events of all lanes in the order of their `ord`.
///
/// Immutable.
///
/// @param snapshot how the database looked when it was read
/// @param complete whether this is all that is due; otherwise more follow behind the last event
public record Page(String snapshot, List<Event> events, boolean complete) {
    public Page {
        events = List.copyOf(events);
    }
}
