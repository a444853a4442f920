package io.sluice.replication;

import java.util.concurrent.atomic.LongAdder;

/// What replication counts, for health and metrics. Thread-safe: adders.
public final class ReplicationCounters {
    public final LongAdder bytesFetched = new LongAdder();
    public final LongAdder fetches = new LongAdder();
    public final LongAdder fetchesFailed = new LongAdder();

    /// Partitions that could not be copied for now: each refusal of the leader, each failure here.
    public final LongAdder partitionsSetBack = new LongAdder();

    public final LongAdder logsCut = new LongAdder();
    public final LongAdder logsRestarted = new LongAdder();
    public final LongAdder heartbeats = new LongAdder();

    /// Heartbeats that got no answer in time, or found no controller.
    public final LongAdder heartbeatsFailed = new LongAdder();

    public final LongAdder proposals = new LongAdder();
    public final LongAdder proposalsRefused = new LongAdder();
}
