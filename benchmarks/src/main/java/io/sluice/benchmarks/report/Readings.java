package io.sluice.benchmarks.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/// Everything that was read, by figure, broker and round.
///
/// Owned by the thread that runs the comparison.
public final class Readings {
    private record Key(Figure figure, String broker) {}

    private final Map<Key, Map<Integer, Outcome>> outcomes = new LinkedHashMap<>();
    private final SequencedSet<Figure> figures = new LinkedHashSet<>();
    private final List<String> failures = new ArrayList<>();

    /// Fixes the order of the table's lines before the first reading, so that it does not depend on which broker came first.
    public void expect(List<Figure> expected) {
        figures.addAll(expected);
    }

    public void add(Figure figure, String broker, int round, Outcome outcome) {
        figures.add(figure);
        outcomes.computeIfAbsent(new Key(figure, broker), _ -> new LinkedHashMap<>())
                .put(round, outcome);
    }

    /// A measure that broke off; its figures are missing from the table and the reason is printed below it.
    public void addFailure(String failure) {
        failures.add(failure);
    }

    public List<String> failures() {
        return List.copyOf(failures);
    }

    /// The figures for which any broker has a reading, in table order.
    public List<Figure> figures() {
        return figures.stream()
                .filter(figure -> outcomes.keySet().stream().anyMatch(k -> k.figure.equals(figure)))
                .toList();
    }

    public @Nullable Spread spread(Figure figure, String broker) {
        double[] values = values(figure, broker).values().stream().mapToDouble(v -> v).toArray();
        return values.length == 0 ? null : Spread.of(values);
    }

    /// The reason of the last refusal, where there was one.
    public @Nullable String refusal(Figure figure, String broker) {
        String reason = null;
        for (Outcome outcome : byRound(figure, broker).values()) {
            if (outcome instanceof Outcome.Refused(String why)) {
                reason = why;
            }
        }
        return reason;
    }

    /// The one broker's value divided by the other's, round by round: neighbours in time have the same noise around them, so the ratio of a pair is
    /// steadier than the ratio of two medians.
    public @Nullable Spread ratio(Figure figure, String broker, String reference) {
        Map<Integer, Double> numerators = values(figure, broker);
        Map<Integer, Double> denominators = values(figure, reference);
        double[] ratios =
                numerators.keySet().stream()
                        .filter(round -> denominators.getOrDefault(round, 0.0) > 0)
                        .mapToDouble(
                                round ->
                                        numerators.getOrDefault(round, 0.0)
                                                / denominators.getOrDefault(round, 0.0))
                        .toArray();
        return ratios.length == 0 ? null : Spread.of(ratios);
    }

    /// Every single value as comma-separated lines, for those who want to do their own statistics.
    public String commaSeparated() {
        StringBuilder text = new StringBuilder("measure,figure,unit,broker,round,value\n");
        outcomes.forEach(
                (key, rounds) ->
                        rounds.forEach(
                                (round, outcome) ->
                                        text.append(line(key.figure, key.broker, round, outcome))));
        return text.toString();
    }

    private static String line(Figure figure, String broker, int round, Outcome outcome) {
        String value =
                switch (outcome) {
                    case Outcome.Value(double number) -> Double.toString(number);
                    case Outcome.Refused(String reason) -> quoted("refused: " + reason);
                };
        return String.join(
                        ",",
                        figure.measure(),
                        quoted(figure.name()),
                        quoted(figure.unit().suffix()),
                        broker,
                        Integer.toString(round),
                        value)
                + "\n";
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\"", "\"\"").replace('\n', ' ') + "\"";
    }

    private Map<Integer, Double> values(Figure figure, String broker) {
        Map<Integer, Double> values = new LinkedHashMap<>();
        byRound(figure, broker)
                .forEach(
                        (round, outcome) -> {
                            if (outcome instanceof Outcome.Value(double value)) {
                                values.put(round, value);
                            }
                        });
        return values;
    }

    private Map<Integer, Outcome> byRound(Figure figure, String broker) {
        return outcomes.getOrDefault(new Key(figure, broker), Map.of());
    }
}
