package io.sluice.benchmarks.listener;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// What was read, and the table of it: medians, and [smallest–largest] where there is more than one reading.
///
/// Thread-safe: one lock.
final class Results {
    private final Map<Row, Map<Subject, List<Double>>> readings = new EnumMap<>(Row.class);

    synchronized void add(Row row, Subject subject, double reading) {
        System.err.printf(Locale.ROOT, "  %-70s %-50s %.2f%n", row.title, subject.title, reading);
        readings.computeIfAbsent(row, key -> new EnumMap<>(Subject.class))
                .computeIfAbsent(subject, key -> new ArrayList<>())
                .add(reading);
    }

    synchronized String table() {
        var table = new StringBuilder("| measure | target | |");
        var line = new StringBuilder("| --- | --- | --- |");
        for (Subject subject : Subject.values()) {
            table.append(' ').append(subject.title).append(" |");
            line.append(" --- |");
        }
        table.append('\n').append(line).append('\n');
        readings.forEach(
                (row, subjects) -> {
                    table.append("| ").append(row.title).append(" | ").append(row.target());
                    table.append(" | ").append(verdict(row, subjects));
                    for (Subject subject : Subject.values()) {
                        table.append(" | ").append(cell(subjects.getOrDefault(subject, List.of())));
                    }
                    table.append(" |\n");
                });
        return table.toString();
    }

    /// Of Sluice alone: the others have no targets to reach.
    private static String verdict(Row row, Map<Subject, List<Double>> subjects) {
        List<Double> ours = sorted(subjects.getOrDefault(Subject.SLUICE, List.of()));
        return ours.isEmpty() ? "" : row.target().verdict(median(ours));
    }

    private static List<Double> sorted(List<Double> some) {
        return some.stream().filter(each -> !each.isNaN()).sorted().toList();
    }

    private static double median(List<Double> sorted) {
        return sorted.get(sorted.size() / 2);
    }

    private static String cell(List<Double> some) {
        List<Double> sorted = sorted(some);
        if (sorted.isEmpty()) {
            return "–";
        }
        String median = number(median(sorted));
        return sorted.size() == 1
                ? median
                : "%s [%s–%s]"
                        .formatted(median, number(sorted.getFirst()), number(sorted.getLast()));
    }

    private static String number(double value) {
        if (Double.isInfinite(value)) {
            return "never";
        }
        boolean whole = value == Math.rint(value) || Math.abs(value) >= 1_000;
        return String.format(Locale.ROOT, whole ? "%.0f" : value < 10 ? "%.2f" : "%.1f", value);
    }
}
