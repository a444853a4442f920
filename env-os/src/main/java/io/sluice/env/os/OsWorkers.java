package io.sluice.env.os;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.record.Invariant;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/// Three pools of named daemon threads, one for each kind of work.
///
/// Each pool has a queue of at most [Sizes#queued] pieces of work; at the bound, and after [#close], the reply fails with
/// [RejectedWork], and the work does not run. Callers are bounded themselves (one job per partition and kind), so that
/// the bound is met only by a bug or by far more partitions than it was sized for.
/// Threads start with the first work of their kind and stay. Nobody is ever interrupted.
///
/// Thread-safe: the executors are.
public final class OsWorkers implements Workers, AutoCloseable {
    private final Map<Kind, ThreadPoolExecutor> pools = new EnumMap<>(Kind.class);
    private final Consumer<Throwable> onBug;

    /// `onBug` hears of every [Error] that work has thrown, on the worker's thread, before the reply fails with it.
    public OsWorkers(Sizes sizes, Consumer<Throwable> onBug) {
        this.onBug = onBug;
        pools.put(Kind.FLUSH, pool("flush", sizes.flushThreads(), sizes.queued()));
        pools.put(Kind.READ, pool("read", sizes.readThreads(), sizes.queued()));
        pools.put(
                Kind.HOUSEKEEPING,
                pool("housekeeping", sizes.housekeepingThreads(), sizes.queued()));
    }

    private static ThreadPoolExecutor pool(String name, int threads, int queued) {
        AtomicInteger started = new AtomicInteger();
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        0,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(queued),
                        work -> {
                            String number = threads == 1 ? "" : "-" + started.incrementAndGet();
                            return Thread.ofPlatform()
                                    .name("sluice-" + name + number)
                                    .daemon()
                                    .unstarted(work);
                        });
        return pool;
    }

    /// To be called on the home mailbox's own thread, which alone may look at the reply.
    @Override
    public <T> Reply<T> call(Kind kind, Mailbox home, Callable<T> work) {
        Invariant.check(home.isCurrent(), "work was started outside its home mailbox's thread");
        Reply<T> reply = new Reply<>();
        try {
            pool(kind).execute(() -> runAndAnswer(home, work, reply));
        } catch (RejectedExecutionException _) {
            ThreadPoolExecutor pool = pool(kind);
            reply.fail(
                    new RejectedWork(
                            pool.isShutdown()
                                    ? "the workers have been stopped"
                                    : pool.getQueue().size()
                                            + " pieces of "
                                            + kind
                                            + " work are waiting already; the disk is too slow for"
                                            + " this load"));
        }
        return reply;
    }

    private <T> void runAndAnswer(Mailbox home, Callable<T> work, Reply<T> reply) {
        try {
            T result = work.call();
            home.post(() -> reply.complete(result));
        } catch (Exception e) {
            answerFailure(home, reply, e);
        } catch (Throwable e) {
            onBug.accept(e);
            answerFailure(home, reply, e);
        }
    }

    private <T> void answerFailure(Mailbox home, Reply<T> reply, Throwable cause) {
        try {
            home.post(() -> reply.fail(cause));
        } catch (RejectedExecutionException e) {
            // The owner has stopped; what its work came to must not vanish with it.
            e.addSuppressed(cause);
            onBug.accept(e);
        }
    }

    /// Work that waits for a thread, for metrics.
    public int waiting(Kind kind) {
        return pool(kind).getQueue().size();
    }

    @SuppressWarnings("NullAway") // The constructor made one for every kind.
    private ThreadPoolExecutor pool(Kind kind) {
        return pools.get(kind);
    }

    /// Takes no new work, runs all that was accepted, and waits for it. The mailboxes must still be running.
    @Override
    public void close() {
        pools.values().forEach(ThreadPoolExecutor::shutdown);
        pools.values().forEach(ThreadMailbox::awaitUninterruptibly);
    }

    /// How many threads each kind has, and how much work of each kind may wait for them.
    public record Sizes(int flushThreads, int readThreads, int housekeepingThreads, int queued) {
        /// Room for every partition of a large broker to wait for its fsync at the same time.
        public static final Sizes DEFAULT = new Sizes(4, 4, 1, 100_000);
    }

    /// The work was not accepted and has not run.
    public static final class RejectedWork extends RuntimeException {
        public RejectedWork(String message) {
            super(message);
        }
    }
}
