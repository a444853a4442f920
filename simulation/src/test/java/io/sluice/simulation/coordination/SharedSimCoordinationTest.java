package io.sluice.simulation.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.env.Coordination;
import io.sluice.env.Coordination.Change;
import io.sluice.env.Coordination.Outcome;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.SharedCoordinationContract;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

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

    /// What makes the outcome unknown: the commit has arrived, its answer has not.
    @Test
    void aCommitWhoseConnectionBreaksMayHaveBeenMadeOrNot() {
        int made = 0;
        for (int i = 0; i < 40; i++) {
            SimCoordination client = world.join();
            String path = "/attempt/" + i;
            Reply<Outcome> reply =
                    this.<Reply<Outcome>>await(
                            home ->
                                    Reply.of(
                                            client.commit(
                                                    home, List.of(new Change.Create(path, "?")))));
            world.store().disconnect(client.machine());
            world.until(reply::isDone);
            assertThat(reply.value()).isInstanceOf(Outcome.Unknown.class);
            world.until(() -> world.store().all().containsKey(path));
            made += world.store().all().containsKey(path) ? 1 : 0;
            client.leave();
        }
        assertThat(made).isPositive();
    }
}
