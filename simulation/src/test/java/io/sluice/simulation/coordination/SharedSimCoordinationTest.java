package io.sluice.simulation.coordination;

import io.sluice.env.Coordination;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.SharedCoordinationContract;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

class SharedSimCoordinationTest extends SharedCoordinationContract {
    private final SimHome home = new SimHome(11);

    @Override
    protected Coordination join() {
        return home.join();
    }

    @Override
    protected void leave(Coordination store) {
        ((SimCoordination) store).leave();
    }

    @Override
    protected void expire(Coordination store) {
        home.store.expire((SimCoordination) store);
    }

    @Override
    protected void cutOff(Coordination store) {
        home.store.cutOff((SimCoordination) store);
    }

    @Override
    protected void reconnect(Coordination store) {
        home.store.reconnect((SimCoordination) store);
    }

    @Override
    protected <T> T await(Function<Mailbox, Reply<T>> call) {
        return home.<T>awaitAll(List.of(call)).getFirst();
    }

    @Override
    protected void until(BooleanSupplier condition) {
        home.until(condition);
    }
}
