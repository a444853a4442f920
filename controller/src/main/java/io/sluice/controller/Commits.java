package io.sluice.controller;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Life;
import io.sluice.env.Coordination.Node;
import io.sluice.env.Coordination.Outcome;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes to the store, one commit at a time, and finds out how each has ended. Owned by the controller's mailbox.
///
/// A conflict is read anew before anything else is decided, and so is everything when the outcome is unknown: the commit may have been made, or be made yet, which the versions that later commits name
/// will tell.
final class Commits {
    private static final Logger LOG = LoggerFactory.getLogger(Commits.class);

    private final ControllerDoors doors;
    private final StoreReader reader;
    private final ClusterMetadata metadata;
    private final Consumer<Runnable> settled;
    private final Consumer<Throwable> failed;
    private boolean busy;

    /// @param settled runs what is to be done about an outcome, and goes on
    /// @param failed the store has refused a commit as a whole
    Commits(
            ControllerDoors doors,
            StoreReader reader,
            ClusterMetadata metadata,
            Consumer<Runnable> settled,
            Consumer<Throwable> failed) {
        this.doors = doors;
        this.reader = reader;
        this.metadata = metadata;
        this.settled = settled;
        this.failed = failed;
    }

    boolean isBusy() {
        return busy;
    }

    /// @param committed it is durable
    /// @param conflicted somebody was faster, at this path, which has been read anew
    /// @param notMade the outcome was unknown; everything has been read anew, and it seems not to have been made
    void commit(
            List<Change> changes,
            Runnable committed,
            Consumer<String> conflicted,
            Runnable notMade) {
        busy = true;
        doors.store()
                .commit(doors.owner(), changes)
                .then(
                        outcome -> {
                            switch (outcome) {
                                case Outcome.Committed() -> finish(committed);
                                case Outcome.Conflict(String path) ->
                                        readAnew(path, () -> conflicted.accept(path));
                                case Outcome.Unknown(String sentence) -> {
                                    LOG.warn("A commit is in doubt: {}", sentence);
                                    reader.read(
                                            "", all -> resolve(changes, all, committed, notMade));
                                }
                            }
                        },
                        failure -> {
                            busy = false;
                            failed.accept(failure);
                        });
    }

    /// The office is two nodes: who has it and since when are only true together.
    private void readAnew(String path, Runnable then) {
        boolean office =
                path.equals(ClusterMetadata.EPOCH) || path.equals(ClusterMetadata.CONTROLLER);
        String other =
                path.equals(ClusterMetadata.EPOCH)
                        ? ClusterMetadata.CONTROLLER
                        : ClusterMetadata.EPOCH;
        reader.read(
                path,
                nodes -> {
                    metadata.learned(path, nodes.get(path));
                    if (!office) {
                        finish(then);
                        return;
                    }
                    reader.read(
                            other,
                            others -> {
                                metadata.learned(other, others.get(other));
                                finish(then);
                            });
                });
    }

    private void resolve(
            List<Change> changes,
            SortedMap<String, Node> all,
            Runnable committed,
            Runnable notMade) {
        boolean made = changes.stream().allMatch(change -> isMade(change, all));
        metadata.loaded(all);
        finish(made ? committed : notMade);
    }

    /// Whether the store is as this change would have left it.
    private static boolean isMade(Change change, SortedMap<String, Node> all) {
        Node node = all.get(change.path());
        return switch (change) {
            // What was created for a session may be left of an earlier one: nobody can tell.
            case Change.Create(String _, String value, Life life) ->
                    life == Life.LASTING
                            && node != null
                            && node.value().equals(value)
                            && node.version() == 0;
            case Change.Set(String _, String value, int version) ->
                    node != null && node.value().equals(value) && node.version() == version + 1;
            case Change.Delete(String _, int _) -> node == null;
            case Change.Check(String _, int version) -> node != null && node.version() == version;
        };
    }

    private void finish(Runnable then) {
        busy = false;
        settled.accept(then);
    }
}
