package io.sluice.simulation.coordination;

import io.sluice.env.Coordination;
import io.sluice.env.CoordinationContract;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

class SimCoordinationTest extends CoordinationContract {
    private final SimHome home = new SimHome(7);

    @Override
    protected Coordination emptyStore() {
        return home.join();
    }

    @Override
    protected Coordination reopen(Coordination store) {
        ((SimCoordination) store).leave();
        return home.join();
    }

    @Override
    protected <T> List<T> await(List<Function<Mailbox, Reply<T>>> calls) {
        return home.awaitAll(calls);
    }

    @Override
    protected void until(BooleanSupplier condition) {
        home.until(condition);
    }
}
