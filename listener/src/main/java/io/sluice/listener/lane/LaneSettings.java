package io.sluice.listener.lane;

import io.sluice.listener.failure.FailurePolicy;
import io.sluice.listener.limit.Limit;
import io.sluice.listener.message.Intake.OrderKept;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.UnaryOperator;

/// What a lane is: its work, its limit, its threads, its order, and what happens when work fails.
///
/// Immutable, but for the limit, which may move by itself.
public record LaneSettings(
        String name,
        Work work,
        Limit limit,
        Executor executor,
        Order order,
        FailurePolicy failures) {

    /// Without order, on virtual threads, with retries and dead letters by default.
    public static LaneSettings lane(String name, Limit limit, Work work) {
        return new LaneSettings(
                name,
                work,
                limit,
                Executors.virtualThreads(name),
                Order.NONE,
                FailurePolicy.standard());
    }

    public LaneSettings {
        if (name.isBlank()) {
            throw new IllegalArgumentException("A lane needs a name.");
        }
        requireThreads(name, executor, limit);
    }

    OrderKept orderKept() {
        if (order == Order.NONE) {
            return OrderKept.NONE;
        }
        return switch (failures.whenOrdered()) {
            case WAIT -> OrderKept.WAITS;
            case CONTINUE -> OrderKept.CONTINUES;
        };
    }

    /// For a limit that comes later: there have to be threads for it too.
    void requireThreadsFor(Limit other) {
        requireThreads(name, executor, other);
    }

    private static void requireThreads(String name, Executor executor, Limit limit) {
        int threads =
                switch (executor) {
                    case WorkerPool pool -> pool.size();
                    // A pool with a queue has more than its core threads only when that queue is
                    // full.
                    case ThreadPoolExecutor pool ->
                            queues(pool) ? pool.getCorePoolSize() : pool.getMaximumPoolSize();
                    default -> Integer.MAX_VALUE;
                };
        if (threads < limit.greatest()) {
            throw new IllegalArgumentException(
                    "Lane %s: its thread pool has size %d, smaller than its greatest limit %d, so that jobs would be refused or wait. Make the pool at least %d, or the limit at most %d."
                            .formatted(name, threads, limit.greatest(), limit.greatest(), threads));
        }
    }

    private static boolean queues(ThreadPoolExecutor pool) {
        return pool.getQueue().size() + pool.getQueue().remainingCapacity() > 0;
    }

    /// A pool of platform threads for CPU-bound work, or any executor. One that refuses a job is a breach: counted, and the message goes back.
    public LaneSettings on(Executor newExecutor) {
        return new LaneSettings(name, work, limit, newExecutor, order, failures);
    }

    /// Wraps the work: for tracing, transactions, effects that happen once.
    public LaneSettings around(UnaryOperator<Work> wrapper) {
        return new LaneSettings(name, wrapper.apply(work), limit, executor, order, failures);
    }

    public LaneSettings inOrder(Order newOrder) {
        return new LaneSettings(name, work, limit, executor, newOrder, failures);
    }

    public LaneSettings onFailure(FailurePolicy newFailures) {
        return new LaneSettings(name, work, limit, executor, order, newFailures);
    }
}
