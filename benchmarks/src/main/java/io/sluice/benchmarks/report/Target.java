package io.sluice.benchmarks.report;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// What Sluice has set itself for a figure.
///
/// Immutable.
public sealed interface Target {

    /// Sluice's value divided by Kafka's may be at most this.
    record RatioAtMost(double limit) implements Target {
        @Override
        public String toString() {
            double inverse = 1 / limit;
            return Math.rint(inverse) == inverse && inverse > 1
                    ? String.format(Locale.ROOT, "≤ 1/%.0f", inverse)
                    : "≤ " + limit;
        }
    }

    /// Sluice's value divided by Kafka's has to be at least this.
    record RatioAtLeast(double limit) implements Target {
        @Override
        public String toString() {
            return "≥ " + Unit.significant(limit);
        }
    }

    /// Sluice's own value may be at most this, whatever Kafka's is.
    record ValueAtMost(double limit, Unit unit) implements Target {
        @Override
        public String toString() {
            return "Sluice ≤ " + Unit.significant(limit) + " " + unit.suffix();
        }
    }

    /// Sluice has to be able to do it at all.
    record Works() implements Target {
        @Override
        public String toString() {
            return "works";
        }
    }

    /// Whether the medians reach the target; absent where what the target speaks of was not measured.
    default @Nullable Boolean reached(@Nullable Spread sluice, @Nullable Spread ratio) {
        return switch (this) {
            case RatioAtMost(double limit) -> ratio == null ? null : ratio.median() <= limit;
            case RatioAtLeast(double limit) -> ratio == null ? null : ratio.median() >= limit;
            case ValueAtMost(double limit, _) -> sluice == null ? null : sluice.median() <= limit;
            case Works() -> sluice == null ? null : sluice.median() == 1;
        };
    }
}
