package io.sluice.log;

import io.sluice.env.FileSlice;
import io.sluice.log.segment.Verification;

/// What a read comes to. Immutable.
public sealed interface ReadResult {
    /// Whole batches, the first of which holds the offset asked for. The receiver releases the slice.
    record Found(FileSlice records) implements ReadResult {}

    /// Nothing below the limit, or not even one batch within the size.
    record Nothing() implements ReadResult {}

    /// The offset is not in the log.
    record OutOfRange(long startOffset, long endOffset) implements ReadResult {}

    /// What lies there cannot be trusted, and is never served.
    record Damaged(String file, long position, String sentence) implements ReadResult {}

    /// Nobody has checked these bytes since the start: run the task on a READ worker, give it back with
    /// [PartitionLog#completeVerification], then read again.
    record NeedsVerification(Verification task) implements ReadResult {}
}
