package io.sluice.partition;

/// How a deletion of records ended. Immutable.
public sealed interface DeleteOutcome {
    /// @param startOffset the first offset that is left
    record Deleted(long startOffset) implements DeleteOutcome {}

    /// The offset lies behind what may be read.
    record OutOfRange(long highWatermark) implements DeleteOutcome {}

    record Failed(Unavailable why, String sentence) implements DeleteOutcome {}
}
