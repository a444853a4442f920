package io.sluice.simulation.coordination;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.simulation.SimMailbox;
import io.sluice.simulation.SimProcess;
import io.sluice.simulation.SimWorld;
import io.sluice.simulation.network.SimNetwork;
import io.sluice.simulation.network.Ways;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/// A store and its clients, and time that passes when a test waits.
final class StoreWorld {
    private static final Duration STEP = Duration.ofMillis(10);
    private static final int PATIENCE_STEPS = 6_000;

    private final SimWorld world = new SimWorld(7);
    private final Ways ways = new SimNetwork(world).ways();
    private final SimStore store = new SimStore(world, ways, Duration.ofSeconds(6));
    private final SimMailbox home =
            new SimMailbox(world, new SimProcess("test"), "test", StoreWorld::rethrow);
    private int clients;

    private static void rethrow(Throwable bug) {
        throw new IllegalStateException(bug);
    }

    SimStore store() {
        return store;
    }

    Ways ways() {
        return ways;
    }

    SimCoordination join() {
        clients++;
        String machine = "client-" + clients;
        return store.join(machine, new SimProcess(machine));
    }

    void until(BooleanSupplier condition) {
        for (int i = 0; i < PATIENCE_STEPS && !condition.getAsBoolean(); i++) {
            world.runFor(STEP);
        }
    }

    <T> List<T> await(List<Function<Mailbox, Reply<T>>> calls) {
        List<Reply<T>> replies = new ArrayList<>();
        home.post(() -> calls.forEach(call -> replies.add(call.apply(home))));
        until(() -> replies.size() == calls.size() && replies.stream().allMatch(Reply::isDone));
        return replies.stream().map(Reply::value).toList();
    }
}
