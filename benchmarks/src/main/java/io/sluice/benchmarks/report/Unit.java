package io.sluice.benchmarks.report;

import java.util.Locale;

/// What a figure counts, and how a person wants to read it.
///
/// Immutable.
public enum Unit {
    REQUESTS_PER_SECOND("req/s"),
    MEGABYTES_PER_SECOND("MB/s"),
    CPU_SECONDS_PER_MILLION("CPU s/M req"),
    CPU_SECONDS_PER_GIGABYTE("CPU s/GB"),
    CONTEXT_SWITCHES_PER_REQUEST("switches/req"),
    MILLISECONDS("ms"),
    SECONDS("s"),
    MEGABYTES("MB"),
    PERCENT_OF_A_CORE("% of a core"),
    COUNT(""),
    /// 1 when the broker did it, otherwise the outcome says why not.
    WORKS("");

    private final String suffix;

    Unit(String suffix) {
        this.suffix = suffix;
    }

    /// The unit as it is written after the figure's name; empty where the name says it all.
    public String suffix() {
        return suffix;
    }

    /// The value with three significant digits: more would pretend a precision that a shared machine does not have.
    public String format(double value) {
        if (this == WORKS) {
            return value == 1 ? "yes" : "no";
        }
        return significant(value);
    }

    static String significant(double value) {
        double magnitude = Math.abs(value);
        if (magnitude >= 99.95) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        if (magnitude >= 9.995) {
            return String.format(Locale.ROOT, "%.1f", value);
        }
        if (magnitude >= 0.0995 || magnitude == 0) {
            return String.format(Locale.ROOT, "%.2f", value);
        }
        return String.format(Locale.ROOT, "%.3f", value);
    }
}
