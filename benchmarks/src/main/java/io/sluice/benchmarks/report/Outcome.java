package io.sluice.benchmarks.report;

/// What one round said about one figure.
///
/// Immutable.
public sealed interface Outcome {

    /// A number was taken.
    record Value(double value) implements Outcome {}

    /// The broker would not or could not do it; the reason is the broker's own.
    record Refused(String reason) implements Outcome {}
}
