package io.sluice.benchmarks.measure;

import java.time.Duration;
import java.util.List;

/// How long and how much: the one place that says what a full run and a quick one take.
///
/// Immutable.
///
/// @param patience how much longer than `warmUp` it may take until the brokers' compilers have little to do
public record Pace(
        Duration warmUp,
        Duration patience,
        Duration measured,
        Duration idle,
        Duration latency,
        int starts,
        long fetchVolumeBytes,
        long loadVolumeBytes,
        List<Integer> partitionCounts) {

    private static final long MEGABYTE = 1_000_000;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /// Enough for figures worth quoting: about six minutes per broker and round, and as long again with partitions.
    public static Pace full() {
        return new Pace(
                Duration.ofSeconds(8),
                PATIENCE,
                Duration.ofSeconds(10),
                Duration.ofSeconds(15),
                Duration.ofSeconds(20),
                3,
                1_000 * MEGABYTE,
                2_000 * MEGABYTE,
                List.of(1_000, 5_000, 10_000));
    }

    /// The same for three brokers, with less of everything: a cluster takes its time to come up. About three minutes per peer and round.
    public static Pace fullCluster() {
        return new Pace(
                Duration.ofSeconds(5),
                PATIENCE,
                Duration.ofSeconds(8),
                Duration.ofSeconds(8),
                Duration.ofSeconds(8),
                1,
                300 * MEGABYTE,
                300 * MEGABYTE,
                List.of(10_000));
    }

    /// Enough to see that everything works. Just-started JVMs are still compiling, so the figures flatter nobody.
    public static Pace quick() {
        return new Pace(
                Duration.ofSeconds(1),
                Duration.ZERO,
                Duration.ofSeconds(2),
                Duration.ofSeconds(2),
                Duration.ofSeconds(3),
                1,
                100 * MEGABYTE,
                100 * MEGABYTE,
                List.of(100));
    }

    /// The warm-up where a kind of load comes for the first time: a JVM compiles long and in several steps.
    Duration firstWarmUp() {
        return warmUp.multipliedBy(2);
    }

    public Pace withWarmUp(Duration duration) {
        return new Pace(
                duration,
                patience,
                measured,
                idle,
                latency,
                starts,
                fetchVolumeBytes,
                loadVolumeBytes,
                partitionCounts);
    }

    public Pace withMeasured(Duration duration) {
        return new Pace(
                warmUp,
                patience,
                duration,
                idle,
                latency,
                starts,
                fetchVolumeBytes,
                loadVolumeBytes,
                partitionCounts);
    }

    public Pace withPartitionCounts(List<Integer> counts) {
        return new Pace(
                warmUp,
                patience,
                measured,
                idle,
                latency,
                starts,
                fetchVolumeBytes,
                loadVolumeBytes,
                List.copyOf(counts));
    }
}
