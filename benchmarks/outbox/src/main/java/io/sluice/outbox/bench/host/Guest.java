package io.sluice.outbox.bench.host;

/// What a host's process runs: one or more relays of one kind.
///
/// Thread-safe: asked by the thread that reads the bench's lines.
interface Guest extends AutoCloseable {
    /// Returns when it can publish.
    void awaitReady() throws Exception;

    /// So many events are there now.
    void go(long events);

    long statements();

    long emptyPolls();

    /// Per relay.
    long[] published();

    @Override
    void close();
}
