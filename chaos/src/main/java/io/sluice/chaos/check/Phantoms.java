package io.sluice.chaos.check;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import io.sluice.chaos.history.Value;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// A message that nobody sent there, or that certainly failed.
///
/// Immutable.
public final class Phantoms implements Check {
    @Override
    public String name() {
        return "phantom";
    }

    @Override
    public String meaning() {
        return "read, but never sent to that partition";
    }

    @Override
    public List<Violation> find(History history) {
        Set<Value> sent = new HashSet<>();
        history.of(Event.Invoked.class).forEach(invoked -> sent.add(invoked.value()));
        history.of(Event.Failed.class).forEach(failed -> sent.remove(failed.value()));
        List<Violation> violations = new ArrayList<>();
        history.of(Event.Polled.class)
                .filter(
                        polled ->
                                !sent.contains(polled.value())
                                        || polled.value().partition() != polled.partition())
                .forEach(
                        polled ->
                                violations.add(
                                        new Violation(
                                                name(),
                                                polled.partition(),
                                                polled.atNanos(),
                                                "%s got %s at offset %d, which nobody sent there"
                                                        .formatted(
                                                                polled.reader(),
                                                                polled.value(),
                                                                polled.offset()))));
        return violations;
    }
}
