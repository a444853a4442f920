package io.sluice.benchmarks.listener;

/// How long and how much.
///
/// Immutable.
///
/// @param quick a tenth of everything: shows that it works, and its figures are not worth quoting
record Pace(boolean quick) {
    /// The time of jobs and of pauses.
    int millis(int full) {
        return quick ? full / 10 : full;
    }

    /// The time to look.
    int seconds(int full) {
        return quick ? Math.max(2, full / 8) : full;
    }

    int jobs(int full) {
        return quick ? full / 4 : full;
    }

    int rejections() {
        return quick ? 50 : 10_000;
    }
}
