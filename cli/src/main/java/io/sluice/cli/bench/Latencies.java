package io.sluice.cli.bench;

import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/// Measured times, kept to three significant digits up to an hour.
///
/// Thread-safe: recording is lock-free, reading has one monitor.
final class Latencies {
    private static final long HIGHEST = TimeUnit.HOURS.toNanos(1);
    private static final double NANOS_PER_MILLI = 1e6;

    private final Recorder recorder = new Recorder(HIGHEST, 3);
    private final Histogram all = new Histogram(HIGHEST, 3);

    void record(long nanos) {
        recorder.recordValue(Math.clamp(nanos, 0, HIGHEST));
    }

    /// The percentile of what came since the last call, in milliseconds.
    synchronized double recent(double percentile) {
        Histogram interval = recorder.getIntervalHistogram();
        all.add(interval);
        return interval.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
    }

    synchronized long count() {
        all.add(recorder.getIntervalHistogram());
        return all.getTotalCount();
    }

    /// p50 to max of everything, under the keys of a result, in milliseconds.
    synchronized Fields addTo(Fields result) {
        all.add(recorder.getIntervalHistogram());
        return result.with("p50Millis", at(50))
                .with("p90Millis", at(90))
                .with("p99Millis", at(99))
                .with("p999Millis", at(99.9))
                .with("maxMillis", at(100));
    }

    private Value at(double percentile) {
        return all.getTotalCount() == 0
                ? Value.absent()
                : Value.decimal(all.getValueAtPercentile(percentile) / NANOS_PER_MILLI, 3);
    }

    static String millis(double millis) {
        return String.format(Locale.ROOT, millis < 10 ? "%.2f ms" : "%.0f ms", millis);
    }
}
