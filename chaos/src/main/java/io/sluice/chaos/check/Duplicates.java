package io.sluice.chaos.check;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import io.sluice.chaos.history.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// One message at two offsets, although its producer is idempotent.
///
/// Immutable.
public final class Duplicates implements Check {
    @Override
    public String name() {
        return "duplicated";
    }

    @Override
    public String meaning() {
        return "one message of an idempotent producer at two offsets";
    }

    @Override
    public List<Violation> find(History history) {
        Map<Value, Long> offsets = new HashMap<>();
        List<Violation> violations = new ArrayList<>();
        history.forEach(
                event -> {
                    if (event instanceof Event.Polled(long at, _, _, long offset, Value value)) {
                        note(offsets, violations, at, offset, value);
                    } else if (event
                                    instanceof Event.Acknowledged(long at, Value value, long offset)
                            && offset != Event.Acknowledged.UNKNOWN_OFFSET) {
                        note(offsets, violations, at, offset, value);
                    }
                });
        return violations;
    }

    private void note(
            Map<Value, Long> offsets,
            List<Violation> violations,
            long atNanos,
            long offset,
            Value value) {
        Long known = offsets.putIfAbsent(value, offset);
        if (known != null && known != offset) {
            violations.add(
                    new Violation(
                            name(),
                            value.partition(),
                            atNanos,
                            "%s is at offset %d and at offset %d".formatted(value, known, offset)));
        }
    }
}
