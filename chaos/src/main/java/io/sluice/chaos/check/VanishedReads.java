package io.sluice.chaos.check;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import java.util.ArrayList;
import java.util.List;

/// Shown to a reader, and gone later: it was not committed when it was shown. What a reader has seen must stay, acknowledged or not.
///
/// Immutable.
public final class VanishedReads implements Check {
    @Override
    public String name() {
        return "vanished";
    }

    @Override
    public String meaning() {
        return "shown to a reader, but not in the log";
    }

    @Override
    public List<Violation> find(History history) {
        LastReading last = new LastReading(history);
        List<Violation> violations = new ArrayList<>();
        history.of(Event.Polled.class)
                .filter(polled -> last.complete(polled.partition()))
                .filter(polled -> !last.of(polled.partition()).containsKey(polled.offset()))
                .forEach(
                        polled ->
                                violations.add(
                                        new Violation(
                                                name(),
                                                polled.partition(),
                                                polled.atNanos(),
                                                "%s was shown %s at offset %d, where there is nothing in the end"
                                                        .formatted(
                                                                polled.reader(),
                                                                polled.value(),
                                                                polled.offset()))));
        return violations;
    }
}
