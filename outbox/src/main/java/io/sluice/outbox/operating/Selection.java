package io.sluice.outbox.operating;

import java.time.Instant;

/// Which published events are to be published again.
///
/// Immutable.
public sealed interface Selection {
    /// All events of one aggregate.
    record ByKey(String key) implements Selection {}

    /// Events written at or after `from` and before `to`; needs the column `created_at`.
    record ByTime(Instant from, Instant to) implements Selection {
        public ByTime {
            if (!from.isBefore(to)) {
                throw new IllegalArgumentException(
                        "from %s to %s is no time: from must be before to".formatted(from, to));
            }
        }
    }

    /// Events with `from` <= `ord` < `to`.
    record ByRange(long from, long to) implements Selection {
        public ByRange {
            if (from >= to) {
                throw new IllegalArgumentException(
                        "%d to %d is no range: from must be below to".formatted(from, to));
            }
        }
    }
}
