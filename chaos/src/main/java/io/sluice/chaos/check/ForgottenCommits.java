package io.sluice.chaos.check;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A group's member was told that its position is kept, and the next member began before it.
///
/// Immutable.
public final class ForgottenCommits implements Check {
    @Override
    public String name() {
        return "forgotten commit";
    }

    @Override
    public String meaning() {
        return "a group went back behind a position that it had committed";
    }

    @Override
    public List<Violation> find(History history) {
        Map<Integer, Long> committed = new HashMap<>();
        List<Violation> violations = new ArrayList<>();
        history.forEach(
                event -> {
                    if (event instanceof Event.Committed commit) {
                        committed.merge(commit.partition(), commit.offset(), Math::max);
                    } else if (event instanceof Event.Resumed resumed
                            && resumed.reader().startsWith(History.GROUP)
                            && resumed.offset() >= 0) {
                        long kept = committed.getOrDefault(resumed.partition(), 0L);
                        if (resumed.offset() < kept) {
                            violations.add(
                                    new Violation(
                                            name(),
                                            resumed.partition(),
                                            resumed.atNanos(),
                                            "%s began at %d, but %d was committed"
                                                    .formatted(
                                                            resumed.reader(),
                                                            resumed.offset(),
                                                            kept)));
                        }
                    }
                });
        return violations;
    }
}
