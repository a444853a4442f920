package io.sluice.chaos.check;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import io.sluice.chaos.history.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/// A reader was led past messages that are there.
///
/// Immutable.
public final class PollSkips implements Check {
    @Override
    public String name() {
        return "poll skip";
    }

    @Override
    public String meaning() {
        return "a reader was led past messages that are there";
    }

    @Override
    public List<Violation> find(History history) {
        LastReading last = new LastReading(history);
        List<Violation> violations = new ArrayList<>();
        PollRuns.walk(
                history,
                (before, after) -> {
                    if (after.offset() > before.offset() + 1) {
                        SortedMap<Long, Value> skipped =
                                last.of(after.partition())
                                        .subMap(before.offset() + 1, after.offset());
                        if (!skipped.isEmpty()) {
                            violations.add(violation(before, after, skipped));
                        }
                    }
                });
        return violations;
    }

    private Violation violation(
            Event.Polled before, Event.Polled after, SortedMap<Long, Value> skipped) {
        return new Violation(
                name(),
                after.partition(),
                after.atNanos(),
                "%s went from offset %d to %d, past %d messages"
                        .formatted(
                                after.reader(), before.offset(), after.offset(), skipped.size()));
    }
}
