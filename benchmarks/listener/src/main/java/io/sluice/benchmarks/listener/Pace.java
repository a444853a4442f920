package io.sluice.benchmarks.listener;

/// How long and how much.
///
/// Immutable.
///
/// @param quick a tenth of everything: shows that it works, and its figures are not worth quoting
record Pace(boolean quick) {
    int millis(int full) {
        return quick ? full / 10 : full;
    }

    int jobs(int full) {
        return quick ? full / 4 : full;
    }

    /// Looks of 50 ms.
    int looks() {
        return quick ? 60 : 2_400;
    }

    int rejections() {
        return quick ? 50 : 10_000;
    }

    /// In seconds, how long a light message may take before it is given up.
    int patience() {
        return quick ? 15 : 300;
    }
}
