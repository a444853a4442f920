package io.sluice.outbox.bench;

import io.sluice.outbox.bench.Readings.Figure;
import io.sluice.outbox.bench.stage.Contender;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// What is asked for, what was reached, and whether that is enough. What was not measured is neither met nor missed.
///
/// Owned by the thread that measures.
final class Targets {
    private final Readings readings;

    Targets(Readings readings) {
        this.readings = readings;
    }

    /// A row of the table.
    record Row(String measure, String target, String reached, Verdict verdict) {}

    /// Whether a target is reached.
    enum Verdict {
        MET("met"),
        MISSED("**missed**"),
        NOT_MEASURED("not measured");

        private final String text;

        Verdict(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        rows.add(drain("10,000 events, 3 instances", Contender.LOG));
        rows.add(drain("10,000 events, 3 instances, pages of 1,000", Contender.LOG_1000));
        rows.add(share("share of each instance", Contender.LOG));
        rows.add(share("share of each instance, pages of 1,000", Contender.LOG_1000));
        rows.add(statements("statements per 10,000 events / empty polls", Contender.LOG));
        rows.add(
                statements(
                        "statements per 10,000 events / empty polls, pages of 1,000",
                        Contender.LOG_1000));
        rows.add(sustained(Contender.LOG));
        rows.add(sustained(Contender.WAL));
        rows.add(latency(Contender.LOG));
        rows.add(latency(Contender.WAL));
        rows.add(rescale());
        rows.add(pause("`kill -9` of a relay", Figure.KILL_PAUSE, 1));
        rows.add(pause("host of a relay lost", Figure.FREEZE_PAUSE, 5));
        rows.add(deadTuples());
        return rows;
    }

    private Row drain(String measure, Contender ours) {
        double best = bestOfDocument();
        double log = median(Figure.DRAIN_MILLIS, ours);
        return row(
                measure,
                "≥ 10 × faster than the better of the document's two",
                "%.0f ms, %.0f × (document: %.0f ms)".formatted(log, best / log, best),
                best / log >= 10,
                log,
                best);
    }

    private Row share(String measure, Contender ours) {
        double off = median(Figure.SHARE_OFF_PERCENT, ours);
        return row(measure, "within ±10 % of even", "±%.0f %%".formatted(off), off <= 10, off);
    }

    private Row statements(String measure, Contender ours) {
        double statements = median(Figure.STATEMENTS, ours);
        double empty = worst(Figure.EMPTY_POLLS, ours);
        return row(
                measure,
                "≤ 20 / 0",
                "%.0f / %.0f".formatted(statements, empty),
                statements <= 20 && empty == 0,
                statements,
                empty);
    }

    /// Without Debezium only the number counts.
    private Row sustained(Contender ours) {
        double debezium =
                Stream.of(Contender.DEBEZIUM_1, Contender.DEBEZIUM_500)
                        .flatMap(peer -> readings.all(Figure.EVENTS_PER_SECOND, peer).stream())
                        .mapToDouble(Double::doubleValue)
                        .max()
                        .orElse(Double.NaN);
        double reached = median(Figure.EVENTS_PER_SECOND, ours);
        String beside =
                Double.isNaN(debezium)
                        ? "Debezium not measured"
                        : "Debezium %,.0f".formatted(debezium);
        return row(
                "sustained, 3 relays, " + ours.label(),
                "≥ Debezium, ≥ 20,000 events/s",
                "%,.0f (%s)".formatted(reached, beside),
                reached >= 20_000 && !(reached < debezium),
                reached);
    }

    private Row latency(Contender ours) {
        double p50 = median(Figure.LATENCY_P50, ours);
        double p99 = median(Figure.LATENCY_P99, ours);
        return row(
                "COMMIT to consumer at 500/s, p50 / p99, " + ours.label(),
                "≤ 10 ms / ≤ 50 ms",
                "%.1f / %.1f ms".formatted(p50, p99),
                p50 <= 10 && p99 <= 50,
                p50,
                p99);
    }

    private Row rescale() {
        double pause = worst(Figure.RESCALE_PAUSE);
        double repeated = worst(Figure.RESCALE_REPEATED);
        double exchanged = worst(Figure.EXCHANGED);
        return row(
                "3 → 5 instances under load",
                "no pause over 1 s, no duplicate, order kept",
                "longest pause %.0f ms, %.0f repeated, %.0f exchanged"
                        .formatted(pause, repeated, exchanged),
                pause <= 1_000 && repeated == 0 && exchanged == 0,
                pause,
                repeated,
                exchanged);
    }

    private Row pause(String measure, Figure figure, int seconds) {
        double pause = worst(figure);
        return row(
                measure,
                "its lanes go on within %d s".formatted(seconds),
                "longest pause %.0f ms".formatted(pause),
                pause <= seconds * 1_000.0,
                pause);
    }

    private Row deadTuples() {
        double dead = worst(Figure.DEAD_TUPLES_PER_EVENT);
        return row(
                "dead tuples in the event table, log mode",
                "0",
                "%.2f per event".formatted(dead),
                dead == 0,
                dead);
    }

    private static Row row(
            String measure, String target, String reached, boolean met, double... figures) {
        for (double figure : figures) {
            if (Double.isNaN(figure)) {
                return new Row(measure, target, "", Verdict.NOT_MEASURED);
            }
        }
        return new Row(measure, target, reached, met ? Verdict.MET : Verdict.MISSED);
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
        return worst(figure, Contender.LOG);
    }

    private double worst(Figure figure, Contender contender) {
        return readings.worst(figure, contender).orElse(Double.NaN);
    }
}
