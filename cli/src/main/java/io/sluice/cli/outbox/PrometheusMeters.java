package io.sluice.cli.outbox;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.cumulative.CumulativeTimer;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/// The relay's meters, as text that Prometheus reads (format 0.0.4). Counters, gauges and histograms of timers, which is all that a relay has.
///
/// Thread-safe, as registries are.
final class PrometheusMeters extends SimpleMeterRegistry {
    static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    /// Buckets must never shrink: Prometheus takes that for a restart.
    private static final DistributionStatisticConfig FOR_EVER =
            DistributionStatisticConfig.builder()
                    .expiry(Duration.ofDays(365_000))
                    .bufferLength(1)
                    .build();

    @Override
    protected Timer newTimer(
            Meter.Id id, DistributionStatisticConfig config, PauseDetector pauseDetector) {
        return new CumulativeTimer(
                id, clock, FOR_EVER.merge(config), pauseDetector, getBaseTimeUnit(), true);
    }

    String text() {
        SortedMap<String, List<Meter>> families = new TreeMap<>();
        for (Meter meter : getMeters()) {
            families.computeIfAbsent(name(meter), name -> new ArrayList<>()).add(meter);
        }
        StringBuilder text = new StringBuilder();
        families.forEach((name, meters) -> family(text, name, meters));
        return text.toString();
    }

    private static String name(Meter meter) {
        String name = meter.getId().getName().replace('.', '_');
        if (meter instanceof FunctionCounter) {
            return name + "_total";
        }
        return meter instanceof Timer ? name + "_seconds" : name;
    }

    private static void family(StringBuilder text, String name, List<Meter> meters) {
        Meter first = meters.getFirst();
        String description = first.getId().getDescription();
        if (description != null) {
            text.append("# HELP %s %s\n".formatted(name, escaped(description)));
        }
        text.append("# TYPE %s %s\n".formatted(name, type(first)));
        for (Meter meter : meters) {
            String labels = labels(meter);
            switch (meter) {
                case FunctionCounter counter -> line(text, name, labels, counter.count());
                case Gauge gauge -> line(text, name, labels, gauge.value());
                case Timer timer -> histogram(text, name, labels, timer);
                default -> throw new IllegalStateException("no text for " + meter.getId());
            }
        }
    }

    private static String type(Meter meter) {
        if (meter instanceof FunctionCounter) {
            return "counter";
        }
        return meter instanceof Timer ? "histogram" : "gauge";
    }

    private static void histogram(StringBuilder text, String name, String labels, Timer timer) {
        HistogramSnapshot snapshot = timer.takeSnapshot();
        double seen = 0;
        for (CountAtBucket bucket : snapshot.histogramCounts()) {
            line(
                    text,
                    name + "_bucket",
                    le(labels, number(bucket.bucket(TimeUnit.SECONDS))),
                    bucket.count());
            seen = bucket.count();
        }
        // Events go on being counted while the buckets are read.
        double all = Math.max(seen, (double) timer.count());
        line(text, name + "_bucket", le(labels, "+Inf"), all);
        line(text, name + "_sum", labels, snapshot.total(TimeUnit.SECONDS));
        line(text, name + "_count", labels, all);
    }

    private static String le(String labels, String bound) {
        return labels + (labels.isEmpty() ? "" : ",") + "le=\"" + bound + "\"";
    }

    private static String labels(Meter meter) {
        List<String> labels = new ArrayList<>();
        for (Tag tag : meter.getId().getTags()) {
            labels.add(
                    "%s=\"%s\""
                            .formatted(
                                    tag.getKey(), escaped(tag.getValue()).replace("\"", "\\\"")));
        }
        return String.join(",", labels);
    }

    private static void line(StringBuilder text, String name, String labels, double value) {
        text.append(name);
        if (!labels.isEmpty()) {
            text.append('{').append(labels).append('}');
        }
        text.append(' ').append(number(value)).append('\n');
    }

    private static String number(double value) {
        if (Double.isInfinite(value)) {
            return value > 0 ? "+Inf" : "-Inf";
        }
        return Double.toString(value);
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\n", "\\n");
    }
}
