package io.sluice.gateway;

import java.util.concurrent.atomic.LongAdder;

/// What the gateway counts, for the metrics page. Thread-safe: adders.
public final class GatewayCounters {
    public final LongAdder connectionsOpen = new LongAdder();
    public final LongAdder connectionsRefused = new LongAdder();
    public final LongAdder connectionsIdleClosed = new LongAdder();
    public final LongAdder requests = new LongAdder();
    public final LongAdder requestsMalformed = new LongAdder();
    public final LongAdder bytesIn = new LongAdder();
    public final LongAdder bytesOut = new LongAdder();

    /// How often a connection's socket was left unread because of a limit.
    public final LongAdder readsPaused = new LongAdder();
}
