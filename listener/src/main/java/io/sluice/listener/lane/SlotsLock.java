package io.sluice.listener.lane;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The one lock around [Slots], and the way to wait for a change of them. Never held while foreign code runs (work, source, executor, observer).
///
/// Thread-safe.
final class SlotsLock {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /// Reads, or changes something that nobody waits for.
    <T extends @Nullable Object> T locked(Supplier<T> read) {
        lock.lock();
        try {
            return read.get();
        } finally {
            lock.unlock();
        }
    }

    /// Changes something, and whoever waits looks again.
    <T extends @Nullable Object> T change(Supplier<T> change) {
        lock.lock();
        try {
            T result = change.get();
            changed.signalAll();
            return result;
        } finally {
            lock.unlock();
        }
    }

    /// [#change], with nothing to answer.
    void run(Runnable change) {
        this.<@Nullable Void>change(
                () -> {
                    change.run();
                    return null;
                });
    }

    /// Looks now and after every change, until there is something.
    ///
    /// @param most how long to wait for a change before looking again
    <T> T await(Supplier<@Nullable T> look, LongSupplier most) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            T found = look.get();
            while (found == null) {
                long unused = changed.awaitNanos(most.getAsLong());
                found = look.get();
            }
            return found;
        } finally {
            lock.unlock();
        }
    }
}
