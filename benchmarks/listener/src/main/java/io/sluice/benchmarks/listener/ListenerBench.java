package io.sluice.benchmarks.listener;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// `sluice bench listener`: every measure, every subject, in turns, and a table with the medians and [smallest–largest].
///
/// | option | |
/// | --- | --- |
/// | `--rounds n` | turns of each subject, 3 by default |
/// | `--only busy,lost` | some measures only |
/// | `--quick` | a short run that shows that it works |
public final class ListenerBench {
    private ListenerBench() {}

    public static void main(String[] args) throws Exception {
        List<String> options = List.of(args);
        boolean quick = options.contains("--quick");
        int rounds = Integer.parseInt(value(options, "--rounds", quick ? "1" : "3"));
        List<String> only =
                Arrays.asList(value(options, "--only", "").toUpperCase(Locale.ROOT).split(","));
        List<Measure> measures = new ArrayList<>();
        for (Measure measure : Measure.values()) {
            if (only.contains("") || only.contains(measure.name())) {
                measures.add(measure);
            }
        }
        var pace = new Pace(quick);
        Map<Measure, Map<Subject, List<Double>>> readings = new EnumMap<>(Measure.class);
        try (var process = new QueueProcess()) {
            for (int round = 1; round <= rounds; round++) {
                for (Measure measure : measures) {
                    for (Subject subject : Subject.values()) {
                        double reading = ask(measure, subject, process.port, pace);
                        System.err.printf(
                                Locale.ROOT,
                                "round %d, %s, %s: %.2f %s%n",
                                round,
                                measure.name().toLowerCase(Locale.ROOT),
                                subject.title,
                                reading,
                                measure.unit);
                        readings.computeIfAbsent(measure, key -> new EnumMap<>(Subject.class))
                                .computeIfAbsent(subject, key -> new ArrayList<>())
                                .add(reading);
                    }
                }
            }
        }
        System.out.print(table(readings));
        System.exit(0);
    }

    private static String value(List<String> options, String name, String otherwise) {
        int at = options.indexOf(name);
        return at < 0 || at + 1 >= options.size() ? otherwise : options.get(at + 1);
    }

    private static double ask(Measure measure, Subject subject, int port, Pace pace)
            throws Exception {
        try (var queue = new BenchQueue(port)) {
            return measure.ask(subject, queue, pace);
        }
    }

    private static String table(Map<Measure, Map<Subject, List<Double>>> readings) {
        var table = new StringBuilder("| measure |");
        var line = new StringBuilder("| --- |");
        for (Subject subject : Subject.values()) {
            table.append(' ').append(subject.title).append(" |");
            line.append(" --- |");
        }
        table.append('\n').append(line).append('\n');
        readings.forEach(
                (measure, subjects) -> {
                    table.append("| ")
                            .append(measure.title)
                            .append(" (")
                            .append(measure.unit)
                            .append(measure.moreIsBetter ? ", more is better) |" : ") |");
                    for (Subject subject : Subject.values()) {
                        table.append(' ')
                                .append(cell(subjects.getOrDefault(subject, List.of())))
                                .append(" |");
                    }
                    table.append('\n');
                });
        return table.toString();
    }

    private static String cell(List<Double> some) {
        if (some.isEmpty()) {
            return "–";
        }
        List<Double> sorted = some.stream().sorted().toList();
        double median = sorted.get(sorted.size() / 2);
        return sorted.size() == 1
                ? String.format(Locale.ROOT, "%.1f", median)
                : String.format(
                        Locale.ROOT,
                        "%.1f [%.1f–%.1f]",
                        median,
                        sorted.getFirst(),
                        sorted.getLast());
    }
}
