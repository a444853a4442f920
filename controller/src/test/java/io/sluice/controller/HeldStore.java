package io.sluice.controller;

import io.sluice.env.Coordination;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// A metadata store in memory whose commits wait until the test lets them through, or fails them. Owned by its test.
final class HeldStore implements Coordination {
    final TreeMap<String, Node> nodes = new TreeMap<>();
    private final ArrayDeque<Held> held = new ArrayDeque<>();
    boolean isPatient;
    private long created;

    private record Held(List<Change> changes, Reply<Outcome> reply) {}

    @Override
    public Reply<SortedMap<String, Node>> load(Mailbox home, String path) {
        TreeMap<String, Node> found = new TreeMap<>();
        for (Map.Entry<String, Node> node : nodes.entrySet()) {
            if (node.getKey().equals(path) || node.getKey().startsWith(path + "/")) {
                found.put(node.getKey(), node.getValue());
            }
        }
        return Reply.of(found);
    }

    @Override
    public Reply<Outcome> commit(Mailbox home, List<Change> changes) {
        Reply<Outcome> reply = new Reply<>();
        held.add(new Held(changes, reply));
        if (!isPatient) {
            letThrough();
        }
        return reply;
    }

    @Override
    public void watch(Mailbox home, Watcher watcher) {
        throw new UnsupportedOperationException("nobody watches here");
    }

    int waiting() {
        return held.size();
    }

    /// The oldest commit is made, or found to conflict.
    void letThrough() {
        Held next = held.remove();
        for (Change change : next.changes()) {
            if (!isPossible(change)) {
                next.reply().complete(new Outcome.Conflict(change.path()));
                return;
            }
        }
        next.changes().forEach(this::make);
        next.reply().complete(new Outcome.Committed());
    }

    void fail(String sentence) {
        held.remove().reply().fail(new IllegalStateException(sentence));
    }

    private boolean isPossible(Change change) {
        Node node = nodes.get(change.path());
        return switch (change) {
            case Change.Create _ -> node == null;
            case Change.Set(_, _, int version) -> node != null && node.version() == version;
            case Change.Delete(_, int version) -> node != null && node.version() == version;
            case Change.Check(_, int version) -> node != null && node.version() == version;
        };
    }

    private void make(Change change) {
        switch (change) {
            case Change.Create(String path, String value, _) ->
                    nodes.put(path, new Node(value, 0, ++created));
            case Change.Set(String path, String value, int version) ->
                    nodes.put(path, new Node(value, version + 1, created));
            case Change.Delete(String path, _) -> nodes.remove(path);
            case Change.Check _ -> {}
        }
    }
}
