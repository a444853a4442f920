package io.sluice.cli;

import java.util.ArrayList;
import java.util.List;

/// The results of doing the same to several things: each failure is told, and the exit code says whether all, some or
/// none worked.
///
/// Owned by the main thread.
public final class Outcomes {
    private final List<Failure> failures = new ArrayList<>();
    private int successes;

    /// Does it, or remembers why not.
    public void attempt(String verb, String name, Runnable action) {
        try {
            action.run();
            successes++;
        } catch (RuntimeException e) {
            Failure reason = Failures.of(e, "--bootstrap");
            failures.add(
                    new Failure(
                            reason.exitCode(),
                            "Could not %s '%s'. %s".formatted(verb, name, reason.getMessage()),
                            e));
        }
    }

    /// Tells the failures and sums them up.
    public ExitCode exit(Session session) {
        if (failures.isEmpty()) {
            return ExitCode.OK;
        }
        if (successes == 0) {
            for (Failure failure : failures.subList(0, failures.size() - 1)) {
                session.terminal().err().println(failure.getMessage());
            }
            throw failures.getLast();
        }
        failures.forEach(failure -> session.terminal().err().println(failure.getMessage()));
        return ExitCode.PARTIAL;
    }
}
