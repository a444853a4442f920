package io.sluice.coordinator;

import java.time.Duration;

/// How much a coordinator holds. Immutable.
///
/// @param batchBytesMax the largest batch that one decision may write; not above what the log accepts
/// @param waitingMax callers without an answer, above which new ones are told that the coordinator is busy
/// @param retryPause how long to wait before asking the log again that refused what a timer wanted to write
public record CoordinatorLimits(int batchBytesMax, int waitingMax, Duration retryPause) {
    public static final CoordinatorLimits DEFAULT =
            new CoordinatorLimits(16 << 20, 100_000, Duration.ofSeconds(1));
}
