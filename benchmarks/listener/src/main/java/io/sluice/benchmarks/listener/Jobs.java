package io.sluice.benchmarks.listener;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/// What is done with messages: sleeping, as long as they say. Counts what happens meanwhile.
///
/// Thread-safe.
final class Jobs {
    /// From send to done.
    record Latency(String type, long nanos) {}

    final AtomicInteger running = new AtomicInteger();
    final AtomicInteger done = new AtomicInteger();
    final LongAdder busyNanos = new LongAdder();
    final ConcurrentLinkedQueue<Latency> latencies = new ConcurrentLinkedQueue<>();

    void run(String body) {
        String[] parts = body.split(" ");
        long began = System.nanoTime();
        running.incrementAndGet();
        try {
            Thread.sleep(Long.parseLong(parts[1]));
            done.incrementAndGet();
            latencies.add(new Latency(parts[0], System.nanoTime() - Long.parseLong(parts[2])));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } finally {
            running.decrementAndGet();
            busyNanos.add(System.nanoTime() - began);
        }
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
