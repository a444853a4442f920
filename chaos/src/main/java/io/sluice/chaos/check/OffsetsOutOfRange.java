package io.sluice.chaos.check;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import java.util.List;

/// A reader was told that the place it had read up to does not exist, although nothing is ever deleted.
///
/// Immutable.
public final class OffsetsOutOfRange implements Check {
    @Override
    public String name() {
        return "out of range";
    }

    @Override
    public String meaning() {
        return "a reader was told that its position does not exist";
    }

    @Override
    public List<Violation> find(History history) {
        return history.of(Event.OutOfRange.class)
                .map(
                        event ->
                                new Violation(
                                        name(),
                                        event.partition(),
                                        event.atNanos(),
                                        "%s at offset %d"
                                                .formatted(event.reader(), event.offset())))
                .toList();
    }
}
