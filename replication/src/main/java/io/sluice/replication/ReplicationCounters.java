package io.sluice.replication;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// What replication counts, for health and metrics. Thread-safe: adders, and a concurrent map.
public final class ReplicationCounters {
    public final LongAdder bytesFetched = new LongAdder();
    public final LongAdder fetches = new LongAdder();
    public final LongAdder fetchesFailed = new LongAdder();

    /// Partitions that could not be copied for now: each refusal of the leader, each failure here.
    public final LongAdder partitionsSetBack = new LongAdder();

    public final LongAdder logsCut = new LongAdder();
    public final LongAdder logsRestarted = new LongAdder();

    /// How far each fetcher's worst partition is behind what it was told to be committed; those without are not in it.
    private final Map<Object, Long> lags = new ConcurrentHashMap<>();

    public final LongAdder heartbeats = new LongAdder();

    /// Heartbeats that got no answer in time, or found no controller.
    public final LongAdder heartbeatsFailed = new LongAdder();

    public final LongAdder proposals = new LongAdder();
    public final LongAdder proposalsRefused = new LongAdder();

    void lags(Object fetcher, long messages) {
        if (messages > 0) {
            lags.put(fetcher, messages);
        } else {
            lags.remove(fetcher);
        }
    }

    /// Messages that the furthest behind of all copies here lacks.
    public long lagMax() {
        return lags.values().stream().mapToLong(Long::longValue).max().orElse(0);
    }
}
