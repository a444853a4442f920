package io.sluice.outbox.bench;

import io.sluice.outbox.bench.Readings.Figure;
import io.sluice.outbox.bench.stage.Contender;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The readings as tables: what is asked for and what was reached, and all contenders figure by figure.
///
/// Owned by the thread that measures.
final class Report {
    private final Readings readings;
    private final List<String> failures;
    private final boolean quick;
    private final @Nullable String bootstrap;
    private final double loadAtStart = load();
    private double loadAtEnd;
    private Duration took = Duration.ZERO;

    Report(Readings readings, List<String> failures, boolean quick, @Nullable String bootstrap) {
        this.readings = readings;
        this.failures = failures;
        this.quick = quick;
        this.bootstrap = bootstrap;
    }

    void end(Duration duration) {
        took = duration;
        loadAtEnd = load();
    }

    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    String text() {
        return targets() + "\n" + figures() + "\n" + circumstances();
    }

    private String targets() {
        StringBuilder text =
                new StringBuilder("| measure | target | reached |\n| --- | --- | --- |\n");
        double best = bestOfDocument();
        double log = median(Figure.DRAIN_MILLIS, Contender.LOG);
        row(
                text,
                "10,000 events, 3 instances",
                "≥ 10 × faster than the better of the document's two",
                "%.0f ms, %.0f × (document: %.0f ms)".formatted(log, best / log, best));
        row(
                text,
                "share of each instance",
                "within ±10 % of even",
                "±%.0f %%".formatted(median(Figure.SHARE_OFF_PERCENT, Contender.LOG)));
        row(
                text,
                "statements per 10,000 events / empty polls",
                "≤ 20 / 0",
                "%.0f / %.0f"
                        .formatted(
                                median(Figure.STATEMENTS, Contender.LOG),
                                median(Figure.EMPTY_POLLS, Contender.LOG)));
        double debezium =
                Stream.of(Contender.DEBEZIUM_1, Contender.DEBEZIUM_500)
                        .flatMap(peer -> readings.all(Figure.EVENTS_PER_SECOND, peer).stream())
                        .mapToDouble(Double::doubleValue)
                        .max()
                        .orElse(Double.NaN);
        row(
                text,
                "sustained, 3 relays",
                "≥ Debezium, ≥ 20,000 events/s",
                "log %,.0f, wal %,.0f (Debezium %,.0f)"
                        .formatted(
                                median(Figure.EVENTS_PER_SECOND, Contender.LOG),
                                median(Figure.EVENTS_PER_SECOND, Contender.WAL),
                                debezium));
        disturbances(text);
        return text.toString();
    }

    private void disturbances(StringBuilder text) {
        row(
                text,
                "COMMIT to consumer at 500/s, p50 / p99",
                "≤ 10 ms / ≤ 50 ms",
                "log %s, wal %s".formatted(latency(Contender.LOG), latency(Contender.WAL)));
        row(
                text,
                "3 → 5 instances under load",
                "no pause over 1 s, no duplicate, order kept",
                "longest pause %.0f ms, %.0f repeated, %.0f exchanged"
                        .formatted(
                                worst(Figure.RESCALE_PAUSE),
                                worst(Figure.RESCALE_REPEATED),
                                worst(Figure.EXCHANGED)));
        row(
                text,
                "`kill -9` of a relay / its host lost",
                "lanes go on within 1 s / 5 s",
                "longest pause %.0f ms / %.0f ms"
                        .formatted(worst(Figure.KILL_PAUSE), worst(Figure.FREEZE_PAUSE)));
        row(
                text,
                "dead tuples in the event table, log mode",
                "0",
                "%.2f per event (compat %.2f)"
                        .formatted(
                                worst(Figure.DEAD_TUPLES_PER_EVENT),
                                median(Figure.DEAD_TUPLES_PER_EVENT, Contender.COMPAT)));
    }

    private String latency(Contender contender) {
        return "%.1f / %.1f ms"
                .formatted(
                        median(Figure.LATENCY_P50, contender),
                        median(Figure.LATENCY_P99, contender));
    }

    private static void row(StringBuilder text, String measure, String target, String reached) {
        text.append("| ")
                .append(measure)
                .append(" | ")
                .append(target)
                .append(" | ")
                .append(reached)
                .append(" |\n");
    }

    private double bestOfDocument() {
        double one = median(Figure.DRAIN_MILLIS, Contender.DOCUMENT);
        double other = median(Figure.DRAIN_MILLIS, Contender.DOCUMENT_MOD);
        return Double.isNaN(one) ? other : Double.isNaN(other) ? one : Math.min(one, other);
    }

    private double median(Figure figure, Contender contender) {
        return readings.median(figure, contender).orElse(Double.NaN);
    }

    private double worst(Figure figure) {
        return readings.worst(figure, Contender.LOG).orElse(Double.NaN);
    }

    private String figures() {
        StringBuilder text = new StringBuilder("| figure (median of rounds) |");
        StringBuilder line = new StringBuilder("| --- |");
        for (Contender contender : Contender.values()) {
            text.append(" ").append(contender.label()).append(" |");
            line.append(" --- |");
        }
        text.append("\n").append(line).append("\n");
        for (Figure figure : Figure.values()) {
            String unit = figure.unit().isEmpty() ? "" : ", " + figure.unit();
            text.append("| ").append(figure.what()).append(unit).append(" |");
            for (Contender contender : Contender.values()) {
                OptionalDouble value = readings.median(figure, contender);
                text.append(" ")
                        .append(value.isPresent() ? number(value.getAsDouble()) : "")
                        .append(" |");
            }
            text.append("\n");
        }
        return text.toString();
    }

    private static String number(double value) {
        return String.format(
                Locale.ROOT, value != 0 && Math.abs(value) < 100 ? "%.1f" : "%,.0f", value);
    }

    private String circumstances() {
        return "%d processors, load average %.1f at the start and %.1f at the end, Java %s, broker %s, %d s%s.%s\n"
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        loadAtStart,
                        loadAtEnd,
                        Runtime.version(),
                        bootstrap == null ? "Sluice" : bootstrap,
                        took.toSeconds(),
                        quick ? " (--quick)" : "",
                        failures.isEmpty()
                                ? ""
                                : failures.stream()
                                        .collect(Collectors.joining("; ", " Failed: ", ".")));
    }
}
