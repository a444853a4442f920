package io.sluice.simulation.coordination;

import io.sluice.env.Coordination;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.SharedCoordinationContract;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

class SharedSimCoordinationTest extends SharedCoordinationContract {
    private final StoreWorld world = new StoreWorld();

    @Override
    protected Coordination join() {
        return world.join();
    }

    @Override
    protected void leave(Coordination store) {
        ((SimCoordination) store).leave();
    }

    @Override
    protected void expire(Coordination store) {
        world.store().expire(((SimCoordination) store).machine());
    }

    @Override
    protected void cutOff(Coordination store) {
        world.ways().cutBoth(((SimCoordination) store).machine(), SimStore.MACHINE);
    }

    @Override
    protected void reconnect(Coordination store) {
        world.ways().heal();
    }

    @Override
    protected <T> T await(Function<Mailbox, Reply<T>> call) {
        return world.await(List.of(call)).getFirst();
    }

    @Override
    protected void until(BooleanSupplier condition) {
        world.until(condition);
    }
}
