package io.sluice.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The table that the comparison prints: one line per figure with both brokers, the ratio, the target and whether it is met.
///
/// Immutable. Everything in it is computed from the readings.
public final class ComparisonTable {
    private static final List<String> HEADINGS =
            List.of("measure", "Kafka", "Sluice", "Sluice / Kafka", "target", "met");
    private static final String ABSENT = "–";

    private final List<List<String>> lines;
    private final List<String> footnotes;

    private ComparisonTable(List<List<String>> lines, List<String> footnotes) {
        this.lines = lines;
        this.footnotes = footnotes;
    }

    /// Compares two brokers by their names in the readings.
    public static ComparisonTable of(Readings readings, String kafka, String sluice) {
        List<List<String>> lines = new ArrayList<>();
        List<String> footnotes = new ArrayList<>();
        for (Figure figure : readings.figures()) {
            Spread ratio = readings.ratio(figure, sluice, kafka);
            Target target = figure.target();
            Boolean reached = reached(readings, figure, sluice, ratio);
            lines.add(
                    List.of(
                            figure.title(),
                            cell(readings, figure, kafka, footnotes),
                            cell(readings, figure, sluice, footnotes),
                            ratio == null ? ABSENT : ratio.format(Unit.COUNT),
                            target == null ? "" : target.toString(),
                            reached == null ? "" : reached ? "yes" : "**no**"));
        }
        readings.failures().forEach(failure -> footnotes.add("Broke off: " + failure));
        return new ComparisonTable(lines, footnotes);
    }

    private static @Nullable Boolean reached(
            Readings readings, Figure figure, String sluice, @Nullable Spread ratio) {
        Target target = figure.target();
        if (target == null) {
            return null;
        }
        boolean refused = readings.refusal(figure, sluice) != null;
        return refused ? Boolean.FALSE : target.reached(readings.spread(figure, sluice), ratio);
    }

    private static String cell(
            Readings readings, Figure figure, String broker, List<String> footnotes) {
        Spread spread = readings.spread(figure, broker);
        String refusal = readings.refusal(figure, broker);
        if (refusal != null) {
            String footnote = broker + " refused “" + figure.name() + "”: " + refusal;
            if (!footnotes.contains(footnote)) {
                footnotes.add(footnote);
            }
            return spread == null ? "refused" : "refused, then " + spread.format(figure.unit());
        }
        return spread == null ? ABSENT : spread.format(figure.unit());
    }

    /// How many targets were reached, and how many of those that could be judged there are.
    public String verdict() {
        long met = lines.stream().filter(line -> line.getLast().equals("yes")).count();
        long missed = lines.stream().filter(line -> line.getLast().equals("**no**")).count();
        return met + missed == 0
                ? "No target was judged: that needs both brokers in one run."
                : met + " of " + (met + missed) + " targets met.";
    }

    public List<String> footnotes() {
        return List.copyOf(footnotes);
    }

    public String markdown() {
        StringBuilder text = new StringBuilder();
        text.append("| ").append(String.join(" | ", HEADINGS)).append(" |\n");
        text.append("| --- | ---: | ---: | ---: | --- | --- |\n");
        for (List<String> line : lines) {
            List<String> escaped = line.stream().map(cell -> cell.replace("|", "\\|")).toList();
            text.append("| ").append(String.join(" | ", escaped)).append(" |\n");
        }
        return text.toString();
    }

    /// The same for a terminal, with columns that line up.
    public String plain() {
        List<List<String>> all = new ArrayList<>();
        all.add(HEADINGS);
        lines.forEach(line -> all.add(line.stream().map(c -> c.replace("**", "")).toList()));
        StringBuilder text = new StringBuilder();
        for (List<String> line : all) {
            StringBuilder row = new StringBuilder();
            for (int column = 0; column < line.size(); column++) {
                int index = column;
                int width = all.stream().mapToInt(l -> l.get(index).length()).max().orElse(0);
                boolean number = column >= 1 && column <= 3;
                row.append(pad(line.get(column), width, number)).append("  ");
            }
            text.append(row.toString().stripTrailing()).append('\n');
            if (Objects.equals(line, HEADINGS)) {
                text.append("─".repeat(row.length() - 2)).append('\n');
            }
        }
        return text.toString();
    }

    private static String pad(String cell, int width, boolean right) {
        String fill = " ".repeat(width - cell.length());
        return right ? fill + cell : cell + fill;
    }
}
