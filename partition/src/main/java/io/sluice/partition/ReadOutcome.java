package io.sluice.partition;

import io.sluice.record.Records;

/// How a read ended. Immutable.
public sealed interface ReadOutcome {
    /// @param records whole batches; empty when there is nothing to read yet. The receiver releases them
    record Found(Records records, long startOffset, long highWatermark) implements ReadOutcome {}

    record OutOfRange(long startOffset, long highWatermark) implements ReadOutcome {}

    /// The bytes are on disk but wrong; they are never served.
    record Damaged(String sentence) implements ReadOutcome {}

    record Failed(Unavailable why, String sentence) implements ReadOutcome {}
}
