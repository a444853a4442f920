package io.sluice.outbox.bench;

import io.sluice.outbox.bench.stage.Contender;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/// What was measured, figure by figure.
///
/// Owned by the thread that measures.
public final class Readings {
    /// What is measured.
    public enum Figure {
        DRAIN_MILLIS("10,000 events, 3 instances", "ms"),
        STATEMENTS("statements per 10,000 events", ""),
        EMPTY_POLLS("empty polls", ""),
        SHARE_OFF_PERCENT("share of an instance, off even by at most", "%"),
        EVENTS_PER_SECOND("sustained", "events/s"),
        SUSTAINED_STATEMENTS("sustained: statements per 1,000 events, the start included", ""),
        LATENCY_P50("COMMIT to consumer at 500/s, p50", "ms"),
        LATENCY_P99("COMMIT to consumer at 500/s, p99", "ms"),
        RESCALE_PAUSE("3 to 5 instances under load: longest pause", "ms"),
        RESCALE_REPEATED("3 to 5 instances under load: repeated", ""),
        EXCHANGED("events behind a later one of their aggregate", ""),
        KILL_PAUSE("kill -9 of a relay: longest pause", "ms"),
        FREEZE_PAUSE("host of a relay lost: longest pause", "ms"),
        DEAD_TUPLES_PER_EVENT("dead tuples per event", ""),
        BLOATED_MILLIS("10,000 events beside dead rows of others", "ms");

        private final String what;
        private final String unit;

        Figure(String what, String unit) {
            this.what = what;
            this.unit = unit;
        }

        public String what() {
            return what;
        }

        public String unit() {
            return unit;
        }
    }

    private final Map<Figure, Map<Contender, List<Double>>> readings = new EnumMap<>(Figure.class);

    public void add(Figure figure, Contender contender, double value) {
        readings.computeIfAbsent(figure, _ -> new EnumMap<>(Contender.class))
                .computeIfAbsent(contender, _ -> new ArrayList<>())
                .add(value);
    }

    public List<Double> all(Figure figure, Contender contender) {
        return readings.getOrDefault(figure, Map.of()).getOrDefault(contender, List.of());
    }

    public OptionalDouble median(Figure figure, Contender contender) {
        double[] sorted =
                all(figure, contender).stream().mapToDouble(Double::doubleValue).sorted().toArray();
        if (sorted.length == 0) {
            return OptionalDouble.empty();
        }
        int middle = sorted.length / 2;
        return OptionalDouble.of(
                sorted.length % 2 == 1
                        ? sorted[middle]
                        : (sorted[middle - 1] + sorted[middle]) / 2);
    }

    public OptionalDouble worst(Figure figure, Contender contender) {
        return Arrays.stream(
                        all(figure, contender).stream().mapToDouble(Double::doubleValue).toArray())
                .max();
    }
}
