package io.sluice.chaos.check;

import io.sluice.chaos.history.History;
import java.util.List;

/// One promise of the cluster, and how a history shows that it was broken.
///
/// Immutable.
public interface Check {

    /// Its name in tables.
    String name();

    /// What it means, for someone who reads the table.
    String meaning();

    /// Every place where the promise was broken; empty when it held.
    List<Violation> find(History history);

    /// All of them, the worst first.
    static List<Check> all() {
        return List.of(
                new LostWrites(),
                new UnseenWrites(),
                new VanishedReads(),
                new Duplicates(),
                new InconsistentOffsets(),
                new ReorderedWrites(),
                new NonMonotonicPolls(),
                new PollSkips(),
                new Phantoms(),
                new ForgottenCommits(),
                new OffsetsOutOfRange());
    }
}
