package io.sluice.replication;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// What replication counts, for health and metrics. Thread-safe: adders, and a concurrent map.
public final class ReplicationCounters {
    public final LongAdder bytesFetched = new LongAdder();

    /// Of these, for replicas that a move has ordered and that have not caught up.
    public final LongAdder bytesMoved = new LongAdder();

    /// How often such a replica had to wait, because moves are limited.
    public final LongAdder movesHeldBack = new LongAdder();

    public final LongAdder fetches = new LongAdder();
    public final LongAdder fetchesFailed = new LongAdder();

    /// Partitions that could not be copied for now: each refusal of the leader, each failure here.
    public final LongAdder partitionsSetBack = new LongAdder();

    public final LongAdder logsCut = new LongAdder();
    public final LongAdder logsRestarted = new LongAdder();

    /// How far each fetcher's worst partition is behind what it was told to be committed; those without are not in it.
    private final Map<Object, Lag> lags = new ConcurrentHashMap<>();

    /// @param replicas that lack something
    /// @param messages that the worst of them lacks
    record Lag(int replicas, long messages) {
        static final Lag NONE = new Lag(0, 0);
    }

    public final LongAdder heartbeats = new LongAdder();

    /// Heartbeats that got no answer in time, or found no controller.
    public final LongAdder heartbeatsFailed = new LongAdder();

    public final LongAdder proposals = new LongAdder();
    public final LongAdder proposalsRefused = new LongAdder();

    void lags(Object fetcher, Lag lag) {
        if (lag.replicas() > 0) {
            lags.put(fetcher, lag);
        } else {
            lags.remove(fetcher);
        }
    }

    /// Messages that the furthest behind of all copies here lacks.
    public long lagMax() {
        return lags.values().stream().mapToLong(Lag::messages).max().orElse(0);
    }

    /// Copies here that lack something that is committed.
    public long lagging() {
        return lags.values().stream().mapToLong(Lag::replicas).sum();
    }
}
