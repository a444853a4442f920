package io.sluice.controller;

import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Node;
import io.sluice.env.Coordination.Outcome;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Hands out producer ids, each once in the life of the cluster.
///
/// Ids are taken from the store in blocks, so that a restart wastes at most one block and a start of a producer costs no write.
/// Owned by its mailbox; [#next] is thread-safe.
public final class ProducerIds {
    private static final String PATH = "/producer-ids";
    private static final long BLOCK = 1_000;

    private final Coordination store;
    private final Mailbox owner;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private long next;
    private long end;
    private boolean fetching;

    public ProducerIds(Coordination store, Mailbox owner) {
        this.store = store;
        this.owner = owner;
    }

    private record Waiting(Mailbox home, Reply<Long> reply) {}

    public Reply<Long> next(Mailbox home) {
        Reply<Long> reply = new Reply<>();
        owner.run(
                () -> {
                    waiting.add(new Waiting(home, reply));
                    serve();
                });
        return reply;
    }

    private void serve() {
        while (next < end && !waiting.isEmpty()) {
            Waiting first = waiting.poll();
            first.reply().completeOn(first.home(), next++);
        }
        if (!waiting.isEmpty() && !fetching) {
            fetching = true;
            store.load(owner, PATH).then(nodes -> claim(nodes.get(PATH)), this::failAll);
        }
    }

    private void claim(@Nullable Node node) {
        long from = node == null ? 0 : Long.parseLong(node.value());
        String value = String.valueOf(from + BLOCK);
        Change change =
                node == null
                        ? new Change.Create(PATH, value)
                        : new Change.Set(PATH, value, node.version());
        store.commit(owner, List.of(change))
                .then(
                        outcome -> {
                            fetching = false;
                            if (outcome instanceof Outcome.Committed) {
                                next = from;
                                end = from + BLOCK;
                            }
                            serve();
                        },
                        this::failAll);
    }

    private void failAll(Throwable failure) {
        fetching = false;
        for (Waiting one = waiting.poll(); one != null; one = waiting.poll()) {
            Waiting failed = one;
            failed.home().run(() -> failed.reply().fail(failure));
        }
    }
}
