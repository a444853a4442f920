package io.sluice.chaos.check;

import io.sluice.chaos.history.History;
import io.sluice.chaos.history.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Messages of one producer in another order than it sent them, although it is idempotent.
///
/// Immutable.
public final class ReorderedWrites implements Check {
    @Override
    public String name() {
        return "reordered";
    }

    @Override
    public String meaning() {
        return "messages of one producer in another order than sent";
    }

    @Override
    public List<Violation> find(History history) {
        LastReading last = new LastReading(history);
        List<Violation> violations = new ArrayList<>();
        Partitions.of(history)
                .forEach(
                        partition -> {
                            Map<Integer, Value> latest = new HashMap<>();
                            last.of(partition)
                                    .forEach(
                                            (offset, value) -> {
                                                Value before = latest.put(value.producer(), value);
                                                if (before != null
                                                        && before.sequence() > value.sequence()) {
                                                    violations.add(
                                                            new Violation(
                                                                    name(),
                                                                    partition,
                                                                    0,
                                                                    "%s comes behind %s, at offset %d"
                                                                            .formatted(
                                                                                    value, before,
                                                                                    offset)));
                                                }
                                            });
                        });
        return violations;
    }
}
