package io.sluice.simulation.coordination;

import io.sluice.env.Coordination;
import io.sluice.env.CoordinationContract;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

class SimCoordinationTest extends CoordinationContract {
    private final StoreWorld world = new StoreWorld();

    @Override
    protected Coordination emptyStore() {
        return world.join();
    }

    @Override
    protected Coordination reopen(Coordination store) {
        ((SimCoordination) store).leave();
        return world.join();
    }

    @Override
    protected <T> List<T> await(List<Function<Mailbox, Reply<T>>> calls) {
        return world.await(calls);
    }

    @Override
    protected void until(BooleanSupplier condition) {
        world.until(condition);
    }
}
