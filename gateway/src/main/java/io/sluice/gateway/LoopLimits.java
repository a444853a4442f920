package io.sluice.gateway;

import io.sluice.env.Mailbox;

/// What the connections of one event loop share: the bytes that they may hold together. Owned by its loop.
///
/// Frames lie outside the heap, decoded requests in it. Of the heap all loops together take a quarter at most for what is in flight, and an eighth for the requests
/// that they have in hand; the rest is for the broker's own state, and for answers, which may be larger than their requests.
///
/// @param requestHeapMax what one request may take in the heap; one that asks for more closes its connection
record LoopLimits(ByteBudget budget, PartialRequests partial, long requestHeapMax) {
    /// Of the bytes in flight, this part may belong to requests that have not arrived completely.
    private static final int PARTIAL_SHARE = 4;

    /// Of the heap, this part may be taken by requests in flight before sockets are not read; twice that before nothing is decoded any more.
    private static final int HEAP_SHARE = 8;

    /// Of the heap, this part may be taken by requests in hand, one for each loop.
    private static final int IN_HAND_SHARE = 8;

    /// Some eighty thousand partitions in one request.
    private static final long REQUEST_HEAP_MAX = 16 << 20;

    /// Some twenty thousand partitions in one request: less would hinder honest clients on machines with very many cores.
    private static final long REQUEST_HEAP_MIN = 4 << 20;

    /// @param heapBytes of the whole process
    static LoopLimits of(GatewayConfig config, int loops, Mailbox home, long heapBytes) {
        long bytes = config.bytesInFlightMax() / loops;
        return new LoopLimits(
                new ByteBudget(bytes, heapBytes / HEAP_SHARE / loops),
                new PartialRequests(bytes / PARTIAL_SHARE, home),
                Math.clamp(heapBytes / IN_HAND_SHARE / loops, REQUEST_HEAP_MIN, REQUEST_HEAP_MAX));
    }
}
