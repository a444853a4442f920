package io.sluice.outbox.bench;

import io.sluice.outbox.bench.Readings.Figure;
import io.sluice.outbox.bench.stage.Contender;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
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
                new StringBuilder("| measure | target | reached | |\n| --- | --- | --- | --- |\n");
        for (Targets.Row row : new Targets(readings).rows()) {
            text.append("| ")
                    .append(row.measure())
                    .append(" | ")
                    .append(row.target())
                    .append(" | ")
                    .append(row.reached())
                    .append(" | ")
                    .append(row.verdict().text())
                    .append(" |\n");
        }
        return text.toString();
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
