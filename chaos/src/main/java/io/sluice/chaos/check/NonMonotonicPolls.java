package io.sluice.chaos.check;

import io.sluice.chaos.history.History;
import java.util.ArrayList;
import java.util.List;

/// A reader was taken back: it got an offset again, or a smaller one, without having asked for it.
///
/// Immutable.
public final class NonMonotonicPolls implements Check {
    @Override
    public String name() {
        return "non-monotonic poll";
    }

    @Override
    public String meaning() {
        return "a reader was taken back";
    }

    @Override
    public List<Violation> find(History history) {
        List<Violation> violations = new ArrayList<>();
        PollRuns.walk(
                history,
                (before, after) -> {
                    if (after.offset() <= before.offset()) {
                        violations.add(
                                new Violation(
                                        name(),
                                        after.partition(),
                                        after.atNanos(),
                                        "%s got offset %d behind offset %d"
                                                .formatted(
                                                        after.reader(),
                                                        after.offset(),
                                                        before.offset())));
                    }
                });
        return violations;
    }
}
