package io.sluice.benchmarks.listener;

import java.util.Locale;

/// What a reading of Sluice's has to reach.
///
/// Immutable.
///
/// @param atLeast NaN: no matter how small
/// @param atMost NaN: no matter how large
record Target(double atLeast, double atMost) {
    static final Target NONE = new Target(Double.NaN, Double.NaN);

    static Target atLeast(double bound) {
        return new Target(bound, Double.NaN);
    }

    static Target atMost(double bound) {
        return new Target(Double.NaN, bound);
    }

    boolean isNone() {
        return Double.isNaN(atLeast) && Double.isNaN(atMost);
    }

    String verdict(double reading) {
        if (isNone()) {
            return "";
        }
        return reading < atLeast || reading > atMost ? "missed" : "met";
    }

    @Override
    public String toString() {
        if (isNone()) {
            return "";
        }
        if (!Double.isNaN(atLeast)) {
            return "≥ " + number(atLeast);
        }
        return atMost == 0 ? "0" : "≤ " + number(atMost);
    }

    private static String number(double bound) {
        return bound == Math.rint(bound)
                ? Long.toString((long) bound)
                : String.format(Locale.ROOT, "%s", bound);
    }
}
