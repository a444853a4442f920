package io.sluice.outbox.publishing;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Looks after what is on its way while the publishing thread waits for something else, perhaps for long: for a database that does not answer.
///
/// A lease that is in doubt meanwhile may be somebody else's by the time the thread comes back, and what was sent under it would arrive behind what its successor sends.
///
/// Used by one thread; looks from one of its own.
final class Guard implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(100);

    private final BooleanSupplier trusted;
    private @Nullable ScheduledThreadPoolExecutor looking;

    /// @param trusted asked by another thread
    Guard(BooleanSupplier trusted) {
        this.trusted = trusted;
    }

    /// @param otherwise done once, on another thread, if trust ends before the work does
    <T> T during(Supplier<T> work, Runnable otherwise) {
        var look =
                looking()
                        .scheduleWithFixedDelay(
                                () -> endIfDoubtful(otherwise),
                                LOOK.toMillis(),
                                LOOK.toMillis(),
                                TimeUnit.MILLISECONDS);
        try {
            return work.get();
        } finally {
            look.cancel(false);
        }
    }

    /// Ends the looking as well: an exception takes a task off the schedule.
    private void endIfDoubtful(Runnable otherwise) {
        if (!trusted.getAsBoolean()) {
            otherwise.run();
            throw new IllegalStateException("done");
        }
    }

    private ScheduledThreadPoolExecutor looking() {
        ScheduledThreadPoolExecutor open = looking;
        if (open == null) {
            open =
                    new ScheduledThreadPoolExecutor(
                            1, Thread.ofPlatform().name("outbox-guard").daemon().factory());
            open.setRemoveOnCancelPolicy(true);
            looking = open;
        }
        return open;
    }

    @Override
    public void close() {
        if (looking != null) {
            looking.shutdownNow();
            looking = null;
        }
    }
}
