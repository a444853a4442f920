package io.sluice.partition;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Callable;

/// Work that waits until the test runs it, so that a test decides what happens while a disk is busy. Owned by its test.
public final class ManualWorkers implements Workers {
    private final Map<Kind, ArrayDeque<Runnable>> waiting = new EnumMap<>(Kind.class);

    public ManualWorkers() {
        for (Kind kind : Kind.values()) {
            waiting.put(kind, new ArrayDeque<>());
        }
    }

    @Override
    public <T> Reply<T> call(Kind kind, Mailbox home, Callable<T> work) {
        Reply<T> reply = new Reply<>();
        queue(kind).add(() -> run(work, home, reply));
        return reply;
    }

    private static <T> void run(Callable<T> work, Mailbox home, Reply<T> reply) {
        try {
            T result = work.call();
            home.post(() -> reply.complete(result));
        } catch (Exception e) {
            home.post(() -> reply.fail(e));
        }
    }

    public int waiting(Kind kind) {
        return queue(kind).size();
    }

    /// Runs the oldest; its owner hears of it with the next turn.
    public void runOne(Kind kind) {
        queue(kind).remove().run();
    }

    /// Runs all there is. True when there was anything.
    public boolean runAll() {
        boolean moved = false;
        for (ArrayDeque<Runnable> queue : waiting.values()) {
            while (!queue.isEmpty()) {
                queue.remove().run();
                moved = true;
            }
        }
        return moved;
    }

    private ArrayDeque<Runnable> queue(Kind kind) {
        ArrayDeque<Runnable> queue = waiting.get(kind);
        if (queue == null) {
            throw new IllegalStateException("no queue for " + kind);
        }
        return queue;
    }
}
