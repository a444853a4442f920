package io.sluice.broker;

import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Node;
import io.sluice.env.Coordination.Outcome;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Counts the starts of this node. On a single node each start is a new leadership of every partition, so the count is their leader
/// epoch: a client that had read further than what a crash has left learns of it (KIP-320).
final class BrokerEpoch {
    private BrokerEpoch() {}

    static Reply<Integer> begin(Coordination store, int nodeId, Mailbox home) {
        String path = "/brokers/" + nodeId;
        return store.load(home, path).flatMap(nodes -> count(store, path, nodes.get(path), home));
    }

    private static Reply<Integer> count(
            Coordination store, String path, @Nullable Node node, Mailbox home) {
        int epoch = node == null ? 0 : Integer.parseInt(node.value()) + 1;
        String value = String.valueOf(epoch);
        Change change =
                node == null
                        ? new Change.Create(path, value)
                        : new Change.Set(path, value, node.version());
        return store.commit(home, List.of(change))
                .map(
                        outcome ->
                                switch (outcome) {
                                    case Outcome.Committed() -> epoch;
                                    case Outcome.Conflict(String at) ->
                                            throw new IllegalStateException(
                                                    "Another process has changed "
                                                            + at
                                                            + " in the metadata of this node.");
                                    case Outcome.Unknown(String sentence) ->
                                            throw new IllegalStateException(sentence);
                                });
    }
}
