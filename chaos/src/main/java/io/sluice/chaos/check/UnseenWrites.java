package io.sluice.chaos.check;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import io.sluice.chaos.history.Value;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Acknowledged, and never shown: the partition ended before it or could not be read to its end, or a group that follows everything has not got it.
///
/// Immutable.
public final class UnseenWrites implements Check {
    @Override
    public String name() {
        return "unseen";
    }

    @Override
    public String meaning() {
        return "acknowledged, but never shown to a reader that waited for it";
    }

    @Override
    public List<Violation> find(History history) {
        LastReading last = new LastReading(history);
        Set<Value> seenByGroup = new HashSet<>();
        Set<Value> seenByReader = new HashSet<>();
        history.of(Event.Polled.class)
                .filter(polled -> !polled.reader().equals(History.LAST_READER))
                .forEach(
                        polled ->
                                (polled.reader().startsWith(History.GROUP)
                                                ? seenByGroup
                                                : seenByReader)
                                        .add(polled.value()));
        List<Violation> violations = new ArrayList<>();
        history.of(Event.Acknowledged.class)
                .forEach(
                        acknowledged -> {
                            int partition = acknowledged.value().partition();
                            if (acknowledged.offset() >= last.end(partition)) {
                                violations.add(violation(acknowledged, ending(last, partition)));
                            } else if (misses(seenByGroup, acknowledged)) {
                                violations.add(violation(acknowledged, "the group never got it"));
                            } else if (misses(seenByReader, acknowledged)) {
                                violations.add(violation(acknowledged, "the reader never got it"));
                            }
                        });
        return violations;
    }

    /// Those who have seen nothing at all were not there.
    private static boolean misses(Set<Value> seen, Event.Acknowledged acknowledged) {
        return !seen.isEmpty() && !seen.contains(acknowledged.value());
    }

    private static String ending(LastReading last, int partition) {
        return last.complete(partition)
                ? "the partition ends at " + last.end(partition)
                : "the partition could not be read to its end";
    }

    private Violation violation(Event.Acknowledged acknowledged, String what) {
        return new Violation(
                name(),
                acknowledged.value().partition(),
                acknowledged.atNanos(),
                "%s was acknowledged at offset %d, but %s"
                        .formatted(acknowledged.value(), acknowledged.offset(), what));
    }
}
