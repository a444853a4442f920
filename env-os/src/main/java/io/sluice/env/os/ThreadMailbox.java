package io.sluice.env.os;

import io.sluice.env.Mailbox;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A mailbox with a thread of its own: for the metadata store, tools and tests. Shards are event loops instead.
///
/// What a piece of work throws goes to `onBug`, and the mailbox goes on with the next; whoever must stop then stops there.
/// Thread-safe: the executor is.
public final class ThreadMailbox implements Mailbox, AutoCloseable {
    private final ScheduledThreadPoolExecutor executor;
    private final Consumer<Throwable> onBug;
    private volatile @Nullable Thread thread;

    public ThreadMailbox(String name, Consumer<Throwable> onBug) {
        this.onBug = onBug;
        this.executor = new ScheduledThreadPoolExecutor(1, worker -> start(name, worker));
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /// Called once: what the thread runs never throws, so that the executor never needs another.
    private Thread start(String name, Runnable worker) {
        Thread started = Thread.ofPlatform().name(name).daemon().unstarted(worker);
        thread = started;
        return started;
    }

    /// Throws [RejectedExecutionException] after [#close].
    @Override
    public void post(Runnable work) {
        executor.execute(guarded(work));
    }

    @Override
    public boolean isCurrent() {
        return Thread.currentThread().equals(thread);
    }

    @Override
    public Timer schedule(Duration delay, Runnable work) {
        ScheduledFuture<?> future =
                executor.schedule(guarded(work), delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    private Runnable guarded(Runnable work) {
        return () -> {
            try {
                work.run();
            } catch (Throwable e) {
                onBug.accept(e);
            }
        };
    }

    /// Takes no new work, runs all that was posted, drops timers that are not due, and waits until all is done. Must not be
    /// called by the mailbox itself.
    @Override
    public void close() {
        executor.shutdown();
        awaitUninterruptibly(executor);
    }

    static void awaitUninterruptibly(ExecutorService executor) {
        boolean interrupted = false;
        while (true) {
            try {
                if (executor.awaitTermination(1, TimeUnit.DAYS)) {
                    break;
                }
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
