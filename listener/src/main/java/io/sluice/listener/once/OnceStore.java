package io.sluice.listener.once;

import io.sluice.listener.lane.Job;
import io.sluice.listener.lane.Work;

/// Remembers what has been done, in the same transaction that does it.
///
/// ```java
/// OnceStore<Connection> store = new JdbcOnceStore(dataSource, "sluice_done");
/// Work work = store.work((job, connection) -> insertLabels(connection, job.message()));
/// ```
///
/// Thread-safe.
///
/// @param <T> what the effect has to use, to be part of the transaction
public interface OnceStore<T> {
    /// What is to happen once.
    @FunctionalInterface
    interface Effect<T> {
        void on(Job job, T transaction) throws Exception;
    }

    /// Lets the effect happen, unless it has happened already. When it throws, it has not happened.
    ///
    /// @param key what the message is known by, over all its deliveries
    /// @return whether it happened now
    boolean once(String key, Job job, Effect<T> effect) throws Exception;

    /// Work that happens once for each message, as [io.sluice.listener.message.Message#identity] tells them apart: once in each consumer group, so that several can share a store.
    default Work work(Effect<T> effect) {
        return job -> {
            var unused = once(job.message().identity(), job, effect);
        };
    }
}
