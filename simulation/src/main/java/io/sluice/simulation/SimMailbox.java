package io.sluice.simulation;

import io.sluice.env.Mailbox;
import java.time.Duration;
import java.util.function.Consumer;

/// A mailbox whose owner is an event of the world: posts run later, at the same virtual time, in order.
///
/// Owned by its world.
public final class SimMailbox implements Mailbox {
    private final SimWorld world;
    private final SimProcess process;
    private final String name;
    private final Consumer<Throwable> onBug;

    /// `onBug` hears of what a piece of work throws; it may throw it on, which ends the run.
    public SimMailbox(SimWorld world, SimProcess process, String name, Consumer<Throwable> onBug) {
        this.world = world;
        this.process = process;
        this.name = name;
        this.onBug = onBug;
    }

    @Override
    public void post(Runnable work) {
        world.schedule(process, name, 0, () -> runGuarded(work));
    }

    @Override
    public boolean isCurrent() {
        return world.isCurrent(this);
    }

    @Override
    public Timer schedule(Duration delay, Runnable work) {
        return world.schedule(process, name, delay.toNanos(), () -> runGuarded(work))::cancel;
    }

    private void runGuarded(Runnable work) {
        try {
            world.runAs(this, work);
        } catch (Throwable e) {
            onBug.accept(e);
        }
    }
}
