package io.sluice.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Outcome;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.SeenTree;
import io.sluice.env.os.ThreadMailbox;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/// The home mailbox of a test, and the ways to wait on it. Owned by its test.
final class TestHome implements AutoCloseable {
    private final List<Throwable> bugs = Collections.synchronizedList(new ArrayList<>());
    private final ThreadMailbox home = new ThreadMailbox("home", bugs::add);

    <T> List<T> awaitAll(List<Function<Mailbox, Reply<T>>> calls) throws Exception {
        List<CompletableFuture<T>> results = new ArrayList<>();
        calls.forEach(_ -> results.add(new CompletableFuture<>()));
        home.post(
                () -> {
                    for (int i = 0; i < results.size(); i++) {
                        CompletableFuture<T> result = results.get(i);
                        calls.get(i)
                                .apply(home)
                                .then(result::complete, result::completeExceptionally);
                    }
                });
        List<T> values = new ArrayList<>();
        for (CompletableFuture<T> result : results) {
            values.add(result.get(3, TimeUnit.MINUTES));
        }
        return values;
    }

    <T> T await(Function<Mailbox, Reply<T>> call) throws Exception {
        try {
            return awaitAll(List.of(call)).getFirst();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    Outcome commit(Coordination store, Change... changes) throws Exception {
        return this.<Outcome>await(mailbox -> store.commit(mailbox, List.of(changes)));
    }

    Map<String, String> texts(Coordination store) throws Exception {
        Map<String, String> texts = new TreeMap<>();
        await(mailbox -> store.load(mailbox, ""))
                .forEach((path, node) -> texts.put(path, node.value() + "@" + node.version()));
        return texts;
    }

    SeenTree watch(Coordination store) throws Exception {
        SeenTree seen = new SeenTree();
        store.watch(home, seen);
        until(() -> !seen.told().isEmpty());
        return seen;
    }

    Mailbox mailbox() {
        return home;
    }

    void until(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TestEnsemble.patience().toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() < deadline) {
            Thread.sleep(5);
        }
    }

    @Override
    public void close() {
        home.close();
        assertThat(bugs).isEmpty();
    }
}
