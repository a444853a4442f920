package io.sluice.simulation.coordination;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.simulation.SimMailbox;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/// A world with a store and one home mailbox: where a contract's calls are made. Owned by its test.
final class SimHome {
    private static final Duration STEP = Duration.ofMillis(5);
    private static final int MOST_STEPS = 12_000;

    final SimWorld world;
    final SimStore store;
    private final SimMailbox home;
    private int processes;

    SimHome(long seed) {
        world = new SimWorld(seed);
        store = new SimStore(world);
        home = new SimMailbox(world, new SimProcess("home"), "home", SimHome::rethrow);
    }

    SimCoordination join() {
        return store.join(new SimProcess("broker " + ++processes));
    }

    <T> List<T> awaitAll(List<Function<Mailbox, Reply<T>>> calls) {
        List<Reply<T>> replies = new ArrayList<>();
        home.post(() -> calls.forEach(call -> replies.add(call.apply(home))));
        until(() -> replies.size() == calls.size() && replies.stream().allMatch(Reply::isDone));
        return replies.stream().map(Reply::value).toList();
    }

    void until(BooleanSupplier condition) {
        for (int i = 0; i < MOST_STEPS && !condition.getAsBoolean(); i++) {
            world.runFor(STEP);
        }
    }

    private static void rethrow(Throwable bug) {
        switch (bug) {
            case Error error -> throw error;
            case RuntimeException exception -> throw exception;
            default -> throw new IllegalStateException(bug);
        }
    }
}
