package io.sluice.chaos.check;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import io.sluice.chaos.history.Value;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Acknowledged, and not there when everything was read once more in the end, although the reader came past its offset.
///
/// Immutable.
public final class LostWrites implements Check {
    @Override
    public String name() {
        return "lost";
    }

    @Override
    public String meaning() {
        return "acknowledged, but not in the log";
    }

    @Override
    public List<Violation> find(History history) {
        LastReading last = new LastReading(history);
        Set<Value> there = new HashSet<>();
        history.of(Event.Acknowledged.class)
                .map(acknowledged -> acknowledged.value().partition())
                .distinct()
                .forEach(partition -> there.addAll(last.of(partition).values()));
        List<Violation> violations = new ArrayList<>();
        history.of(Event.Acknowledged.class)
                .filter(acknowledged -> !there.contains(acknowledged.value()))
                .filter(
                        acknowledged ->
                                acknowledged.offset() < last.end(acknowledged.value().partition()))
                .forEach(
                        acknowledged ->
                                violations.add(
                                        new Violation(
                                                name(),
                                                acknowledged.value().partition(),
                                                acknowledged.atNanos(),
                                                sentence(acknowledged, last))));
        return violations;
    }

    private static String sentence(Event.Acknowledged acknowledged, LastReading last) {
        Value instead = last.of(acknowledged.value().partition()).get(acknowledged.offset());
        return "%s was acknowledged at offset %d, where there is %s"
                .formatted(
                        acknowledged.value(),
                        acknowledged.offset(),
                        instead == null ? "nothing" : instead.toString());
    }
}
