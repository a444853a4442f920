package io.sluice.partition;

import io.sluice.env.Crossing;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/// Workers' jobs on the files of one log, counted: the files must not be replaced or given up under them. Owned by its shard.
final class Errands {
    private final Workers workers;
    private final Mailbox owner;
    private int underWay;

    Errands(Workers workers, Mailbox owner) {
        this.workers = workers;
        this.owner = owner;
    }

    <T> Reply<T> run(Workers.Kind kind, Callable<T> job) {
        underWay++;
        Reply<T> reply = workers.call(kind, owner, job);
        reply.whenDone(_ -> underWay--);
        return reply;
    }

    /// With somebody who waits for it: told what came of it, of a failure, and of a bug in what is done then.
    <T> void run(
            Workers.Kind kind,
            String what,
            Callable<T> job,
            Consumer<T> taken,
            Consumer<Throwable> failed) {
        Crossing.land(run(kind, job), owner, what, taken, failed);
    }

    boolean isIdle() {
        return underWay == 0;
    }
}
