package io.sluice.benchmarks.report;

import org.jspecify.annotations.Nullable;

/// One line of the table: what was measured, in which unit, and what Sluice wants to reach there.
///
/// Immutable.
public record Figure(String measure, String name, Unit unit, @Nullable Target target) {

    public static Figure of(String measure, String name, Unit unit) {
        return new Figure(measure, name, unit, null);
    }

    public Figure withTarget(Target wanted) {
        return new Figure(measure, name, unit, wanted);
    }

    /// What one round said, for a progress line.
    public String describe(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Value(double value) -> title() + ": " + unit.format(value);
            case Outcome.Refused(String reason) -> name + ": refused, " + reason;
        };
    }

    /// The name as the table shows it, unit included.
    public String title() {
        return unit.suffix().isEmpty() ? name : name + ", " + unit.suffix();
    }
}
