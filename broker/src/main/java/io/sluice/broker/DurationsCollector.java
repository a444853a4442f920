package io.sluice.broker;

import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.sluice.env.Durations;
import java.util.Map;
import java.util.function.Supplier;

/// Shows durations that were counted elsewhere as a histogram. Labels that nothing was counted for are left out. Thread-safe.
final class DurationsCollector implements Collector {
    private final String name;
    private final String help;
    private final Supplier<Map<Labels, Durations>> source;

    DurationsCollector(String name, String help, Supplier<Map<Labels, Durations>> source) {
        this.name = name;
        this.help = help;
        this.source = source;
    }

    @Override
    public MetricSnapshot collect() {
        HistogramSnapshot.Builder snapshot = HistogramSnapshot.builder().name(name).help(help);
        source.get()
                .forEach(
                        (labels, durations) -> {
                            if (durations.count() > 0) {
                                snapshot.dataPoint(pointOf(labels, durations));
                            }
                        });
        return snapshot.build();
    }

    private static HistogramSnapshot.HistogramDataPointSnapshot pointOf(
            Labels labels, Durations durations) {
        ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
        for (int bucket = 0; bucket < durations.buckets(); bucket++) {
            buckets.bucket(durations.upperBoundSeconds(bucket), durations.count(bucket));
        }
        return HistogramSnapshot.HistogramDataPointSnapshot.builder()
                .labels(labels)
                .classicHistogramBuckets(buckets.build())
                .sum(durations.totalSeconds())
                .build();
    }
}
