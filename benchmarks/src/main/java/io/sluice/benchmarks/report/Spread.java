package io.sluice.benchmarks.report;

import java.util.Arrays;

/// The median of some rounds with the smallest and the largest, because on a shared machine one number says nothing.
///
/// Immutable.
public record Spread(double median, double min, double max, int count) {

    public static Spread of(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("A spread needs at least one value.");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        double median =
                sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1], sorted.length);
    }

    /// `12.3 [11.9–14.0]`, or the bare value when there was only one round.
    public String format(Unit unit) {
        if (count == 1 || min == max) {
            return unit.format(median);
        }
        return unit.format(median) + " [" + unit.format(min) + "–" + unit.format(max) + "]";
    }
}
