package io.sluice.benchmarks.listener;

/// Asks all subjects one question, in turns or side by side.
interface Measure {
    /// For `--only`.
    String name();

    /// How many times it is asked, unless somebody says otherwise.
    int rounds();

    void take(int port, Pace pace, Results results) throws Exception;
}
