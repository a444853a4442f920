package io.sluice.chaos.check;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import io.sluice.chaos.history.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// One offset, two messages: replicas have gone different ways.
///
/// Immutable.
public final class InconsistentOffsets implements Check {
    private record Position(int partition, long offset) {}

    @Override
    public String name() {
        return "inconsistent offset";
    }

    @Override
    public String meaning() {
        return "one offset had two messages";
    }

    @Override
    public List<Violation> find(History history) {
        Map<Position, Value> values = new HashMap<>();
        List<Violation> violations = new ArrayList<>();
        history.forEach(
                event -> {
                    if (event
                            instanceof
                            Event.Polled(long at, _, int partition, long offset, Value value)) {
                        note(values, violations, at, new Position(partition, offset), value);
                    } else if (event
                                    instanceof Event.Acknowledged(long at, Value value, long offset)
                            && offset != Event.Acknowledged.UNKNOWN_OFFSET) {
                        note(
                                values,
                                violations,
                                at,
                                new Position(value.partition(), offset),
                                value);
                    }
                });
        return violations;
    }

    private void note(
            Map<Position, Value> values,
            List<Violation> violations,
            long atNanos,
            Position position,
            Value value) {
        Value known = values.putIfAbsent(position, value);
        if (known != null && !known.equals(value)) {
            violations.add(
                    new Violation(
                            name(),
                            position.partition(),
                            atNanos,
                            "offset %d was %s and was %s"
                                    .formatted(position.offset(), known, value)));
        }
    }
}
