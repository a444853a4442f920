package io.sluice.outbox.lanes;

import java.time.Duration;

/// How long to wait after the n-th failure: doubling from the first to the longest.
///
/// Immutable.
public record Backoff(Duration first, Duration longest) {
    public Duration after(int failures) {
        if (failures < 1) {
            return Duration.ZERO;
        }
        // 2^30 times the first wait is longer than any longest that makes sense; more would
        // overflow.
        Duration wait = first.multipliedBy(1L << Math.min(failures - 1, 30));
        return shorter(wait, longest);
    }

    /// After a failure that came after a wait of `last`; zero if there was none.
    public Duration beyond(Duration last) {
        if (last.compareTo(first) < 0) {
            return shorter(first, longest);
        }
        return last.compareTo(longest) < 0 ? shorter(last.multipliedBy(2), longest) : longest;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
