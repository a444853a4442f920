package io.sluice.benchmarks.load;

import java.time.Duration;

/// A load that moves as much as it can for as long as it is told, and can be told again: first to warm up, then to be measured.
public sealed interface BulkLoad extends AutoCloseable
        permits JavaConsumerLoad, JavaProducerLoad, RawFetcher {

    Transfer runFor(Duration duration);

    @Override
    void close();
}
