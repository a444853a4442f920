package io.sluice.benchmarks.listener;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/// What is done with messages: sleeping, as long as they say. Counts what happens meanwhile.
///
/// Thread-safe.
final class Jobs {
    /// From send to done.
    private record Latency(String type, long nanos) {}

    final AtomicInteger running = new AtomicInteger();
    final AtomicInteger done = new AtomicInteger();
    private final ConcurrentLinkedQueue<Latency> latencies = new ConcurrentLinkedQueue<>();
    private final Received received;

    Jobs(Received received) {
        this.received = received;
    }

    void run(String body) {
        received.begun(body);
        String[] parts = body.split(" ");
        running.incrementAndGet();
        try {
            Thread.sleep(Long.parseLong(parts[1]));
            latencies.add(new Latency(parts[0], System.nanoTime() - Long.parseLong(parts[2])));
            done.incrementAndGet();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } finally {
            running.decrementAndGet();
        }
    }

    long count(String type) {
        return latencies.stream().filter(latency -> latency.type().equals(type)).count();
    }

    /// The 99th percentile of a type, in milliseconds.
    double p99(String type) {
        List<Long> sorted =
                latencies.stream()
                        .filter(latency -> latency.type().equals(type))
                        .map(Latency::nanos)
                        .sorted()
                        .toList();
        return sorted.isEmpty()
                ? Double.NaN
                : sorted.get((int) Math.ceil(0.99 * sorted.size()) - 1) / 1e6;
    }
}
