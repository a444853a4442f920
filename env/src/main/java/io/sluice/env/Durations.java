package io.sluice.env;

import java.util.concurrent.atomic.LongAdder;

/// Counts how long things took, in buckets, for metrics. Thread-safe: adders.
public final class Durations {
    private static final long[] BOUNDS_MICROS = {
        50,
        100,
        250,
        500,
        1_000,
        2_500,
        5_000,
        10_000,
        25_000,
        50_000,
        100_000,
        250_000,
        500_000,
        1_000_000,
        2_500_000,
        5_000_000,
        10_000_000
    };

    private final LongAdder[] counts = new LongAdder[BOUNDS_MICROS.length + 1];
    private final LongAdder totalNanos = new LongAdder();

    public Durations() {
        for (int bucket = 0; bucket < counts.length; bucket++) {
            counts[bucket] = new LongAdder();
        }
    }

    public void add(long nanos) {
        long micros = nanos / 1_000;
        int bucket = 0;
        while (bucket < BOUNDS_MICROS.length && micros > BOUNDS_MICROS[bucket]) {
            bucket++;
        }
        counts[bucket].increment();
        totalNanos.add(nanos);
    }

    /// One more than there are bounds: the last is for everything above.
    public int buckets() {
        return counts.length;
    }

    /// How many took this bucket's time: more than the bound before, at most its own.
    public long count(int bucket) {
        return counts[bucket].sum();
    }

    /// In seconds; infinite for the last.
    public double upperBoundSeconds(int bucket) {
        return bucket == BOUNDS_MICROS.length
                ? Double.POSITIVE_INFINITY
                : BOUNDS_MICROS[bucket] / 1e6;
    }

    public double totalSeconds() {
        return totalNanos.sum() / 1e9;
    }

    /// All of them.
    public long count() {
        long all = 0;
        for (LongAdder count : counts) {
            all += count.sum();
        }
        return all;
    }
}
