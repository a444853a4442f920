package io.sluice.simulation.metadata;

import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Node;
import io.sluice.env.Coordination.Outcome;
import io.sluice.simulation.InvariantBroken;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// What the metadata store must be, written as plainly as possible: a map, and the commits that nobody knows the fate of.
///
/// Owned by its run.
final class MetadataModel {
    private SortedMap<String, Node> settled = new TreeMap<>();

    /// Issued and not answered, in order.
    private final List<List<Change>> open = new ArrayList<>();

    /// Answered with a disk error: they may or may not turn up after a restart.
    private final List<List<Change>> unknown = new ArrayList<>();

    SortedMap<String, Node> settled() {
        return settled;
    }

    void issued(List<Change> commit) {
        open.add(commit);
    }

    void answered(List<Change> commit, Outcome outcome) {
        takeFirst(commit);
        SortedMap<String, Node> next = new TreeMap<>(settled);
        Outcome expected = apply(commit, next);
        if (!outcome.equals(expected)) {
            throw new InvariantBroken(
                    "OutcomesFollowTheRules",
                    commit
                            + " was answered "
                            + outcome
                            + " instead of "
                            + expected
                            + " on "
                            + settled);
        }
        settled = next;
    }

    void refusedForRoom(List<Change> commit) {
        takeFirst(commit);
    }

    void failed(List<Change> commit) {
        takeFirst(commit);
        unknown.add(commit);
    }

    private void takeFirst(List<Change> commit) {
        if (open.isEmpty() || !open.getFirst().equals(commit)) {
            throw new InvariantBroken(
                    "AnswersComeInOrder", brief(commit) + " is not the next of " + brief(open));
        }
        open.removeFirst();
    }

    void loaded(SortedMap<String, Node> found) {
        SortedMap<String, Node> tree = withoutCreation(found);
        if (!tree.equals(settled)) {
            throw new InvariantBroken(
                    "LoadsSeeWhatIsSettled",
                    brief(tree) + " was loaded instead of " + brief(settled));
        }
    }

    /// After a restart: all that was answered is there, and of the rest the first few, each as a whole.
    void recovered(SortedMap<String, Node> found) {
        SortedMap<String, Node> tree = withoutCreation(found);
        List<List<Change>> maybe = new ArrayList<>(unknown);
        maybe.addAll(open);
        unknown.clear();
        open.clear();
        SortedMap<String, Node> candidate = new TreeMap<>(settled);
        boolean isPossible = candidate.equals(tree);
        for (List<Change> commit : maybe) {
            apply(commit, candidate);
            isPossible |= candidate.equals(tree);
        }
        if (!isPossible) {
            throw new InvariantBroken(
                    "CommittedSurvives",
                    "after a restart there is "
                            + tree
                            + "; answered was "
                            + settled
                            + ", open "
                            + maybe);
        }
        settled = tree;
    }

    /// The model does not know in how many frames commits are written.
    private static SortedMap<String, Node> withoutCreation(SortedMap<String, Node> tree) {
        SortedMap<String, Node> plain = new TreeMap<>();
        tree.forEach((path, node) -> plain.put(path, new Node(node.value(), node.version(), 0)));
        return plain;
    }

    private static String brief(Object what) {
        return what.toString().replaceAll("v{5,}", "vv…");
    }

    private static Outcome apply(List<Change> commit, SortedMap<String, Node> tree) {
        SortedMap<String, Node> next = new TreeMap<>(tree);
        for (Change change : commit) {
            Node node = next.get(change.path());
            boolean holds =
                    switch (change) {
                        case Change.Create _ -> node == null;
                        case Change.Set set -> node != null && node.version() == set.version();
                        case Change.Delete delete ->
                                node != null && node.version() == delete.version();
                        case Change.Check check ->
                                node != null && node.version() == check.version();
                    };
            if (!holds) {
                return new Outcome.Conflict(change.path());
            }
            switch (change) {
                case Change.Create create ->
                        next.put(create.path(), new Node(create.value(), 0, 0));
                case Change.Set set ->
                        next.put(set.path(), new Node(set.value(), set.version() + 1, 0));
                case Change.Delete delete -> next.remove(delete.path());
                case Change.Check _ -> {}
            }
        }
        tree.clear();
        tree.putAll(next);
        return new Outcome.Committed();
    }
}
