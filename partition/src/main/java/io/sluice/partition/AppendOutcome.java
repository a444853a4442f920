package io.sluice.partition;

import io.sluice.log.AppendResult;

/// How an append ended, once it is settled as far as its producer asked. Immutable.
public sealed interface AppendOutcome {
    /// @param appendTimeMillis when the broker put its own time into the records, otherwise -1
    record Acknowledged(long baseOffset, long appendTimeMillis, long startOffset)
            implements AppendOutcome {}

    record Rejected(AppendResult.Reason reason, String sentence) implements AppendOutcome {}

    record Failed(Unavailable why, String sentence) implements AppendOutcome {}
}
