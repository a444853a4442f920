package io.sluice.cli.bench;

import io.sluice.cli.Progress;
import io.sluice.cli.output.Column;
import io.sluice.cli.output.Details;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/// Counts messages and bytes, shows the rate while it runs, and sums up.
///
/// Thread-safe: counters are adders; the rate is computed on the thread that shows it.
final class Meter {
    private static final double MIB = 1 << 20;

    private final LongAdder messages = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final AtomicLong started = new AtomicLong(System.nanoTime());
    private final AtomicLong lastCounted = new AtomicLong(System.nanoTime());
    private long shownMessages;
    private long shownBytes;
    private long shownAt = System.nanoTime();

    /// Forgets the time before: what counts begins now.
    void start() {
        started.set(System.nanoTime());
        shownAt = System.nanoTime();
    }

    void count(long messageCount, long byteCount) {
        messages.add(messageCount);
        bytes.add(byteCount);
        lastCounted.lazySet(System.nanoTime());
    }

    void fail() {
        failures.increment();
    }

    long messages() {
        return messages.sum();
    }

    long failures() {
        return failures.sum();
    }

    /// Shows the rate since the last time, with something more behind it.
    void show(Progress progress, String more) {
        long now = System.nanoTime();
        double seconds = (now - shownAt) / 1e9;
        if (seconds < 0.2 || !progress.watched()) {
            return;
        }
        long messagesNow = messages.sum();
        long bytesNow = bytes.sum();
        progress.update(
                String.format(
                        Locale.ROOT,
                        "%,d messages  %,.0f/s  %,.1f MiB/s  %s",
                        messagesNow,
                        (messagesNow - shownMessages) / seconds,
                        (bytesNow - shownBytes) / MIB / seconds,
                        more));
        shownMessages = messagesNow;
        shownBytes = bytesNow;
        shownAt = now;
    }

    /// Totals up to the last message counted.
    Fields addTo(Fields result) {
        double seconds = Math.max(1, lastCounted.get() - started.get()) / 1e9;
        return result.with("messages", Value.count(messages.sum()))
                .with("failedMessages", Value.count(failures.sum()))
                .with("sizeBytes", Value.bytes(bytes.sum()))
                .with("elapsedSeconds", Value.decimal(seconds, 3))
                .with("messagesPerSecond", Value.decimal(messages.sum() / seconds, 0))
                .with("mebibytesPerSecond", Value.decimal(bytes.sum() / MIB / seconds, 2));
    }

    /// The result of a run, one figure per line.
    static Details details(String name, Fields result, List<Column> more) {
        List<Column> lines = new ArrayList<>();
        lines.add(Column.of("topic", "Topic"));
        lines.add(Column.of("delivery", "Delivery"));
        lines.add(Column.of("profile", "Profile"));
        lines.add(Column.of("messages", "Messages"));
        lines.add(Column.of("sizeBytes", "Size"));
        lines.add(Column.of("elapsedSeconds", "Seconds"));
        lines.add(Column.of("messagesPerSecond", "Messages/s"));
        lines.add(Column.of("mebibytesPerSecond", "MiB/s"));
        lines.addAll(more);
        return Details.of(name, lines, result);
    }

    static List<Column> latencyLines() {
        return List.of(
                Column.of("p50Millis", "p50 (ms)"),
                Column.of("p90Millis", "p90 (ms)"),
                Column.of("p99Millis", "p99 (ms)"),
                Column.of("p999Millis", "p99.9 (ms)"),
                Column.of("maxMillis", "max (ms)"));
    }
}
