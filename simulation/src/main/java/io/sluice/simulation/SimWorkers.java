package io.sluice.simulation;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/// Workers without threads: work runs as an event of its own some time later, and its reply is posted later still.
///
/// A piece of work is never interrupted by others, but anything may happen between the call, the work and the reply. Owned by its world.
public final class SimWorkers implements Workers {
    private static final long MICROSECOND_NANOS = 1_000L;

    private final SimWorld world;
    private final SimProcess process;
    private final SimEntropy entropy;
    private final Consumer<Throwable> onBug;
    private int slowPercent;

    public SimWorkers(
            SimWorld world, SimProcess process, SimEntropy entropy, Consumer<Throwable> onBug) {
        this.world = world;
        this.process = process;
        this.entropy = entropy;
        this.onBug = onBug;
    }

    /// How many pieces of work in a hundred take up to seconds instead of up to a millisecond.
    public void slowPercent(int percent) {
        slowPercent = percent;
    }

    @Override
    public <T> Reply<T> call(Kind kind, Mailbox home, Callable<T> work) {
        Reply<T> reply = new Reply<>();
        String name = "work " + kind;
        world.schedule(process, name, duration(kind), () -> runAndAnswer(name, home, work, reply));
        return reply;
    }

    private long duration(Kind kind) {
        int usualMicros =
                switch (kind) {
                    case FLUSH, READ -> 1_000;
                    case HOUSEKEEPING -> 20_000;
                };
        int micros = entropy.chance(slowPercent) ? 3_000_000 : usualMicros;
        return entropy.between(1, micros) * MICROSECOND_NANOS;
    }

    private <T> void runAndAnswer(String name, Mailbox home, Callable<T> work, Reply<T> reply) {
        world.runAs(
                null,
                () -> {
                    try {
                        T result = work.call();
                        later(name, () -> home.run(() -> reply.complete(result)));
                    } catch (Exception e) {
                        later(name, () -> home.run(() -> reply.fail(e)));
                    } catch (Throwable e) {
                        onBug.accept(e);
                        later(name, () -> home.run(() -> reply.fail(e)));
                    }
                });
    }

    private void later(String name, Runnable answer) {
        world.schedule(process, name, entropy.between(0, 100) * MICROSECOND_NANOS, answer);
    }
}
