package io.sluice.gateway;

import io.sluice.env.Mailbox;

/// What the connections of one event loop share: the bytes that they may hold together. Owned by its loop.
record LoopLimits(ByteBudget budget, PartialRequests partial) {
    /// Of the bytes in flight, this part may belong to requests that have not arrived completely.
    private static final int PARTIAL_SHARE = 4;

    static LoopLimits of(GatewayConfig config, int loops, Mailbox home) {
        long bytes = config.bytesInFlightMax() / loops;
        return new LoopLimits(
                new ByteBudget(bytes), new PartialRequests(bytes / PARTIAL_SHARE, home));
    }
}
