package io.sluice.log.recovery;

import io.sluice.log.segment.Damage;
import java.util.List;

/// What opening a log took and found, for the start-up banner, the log and `doctor`. Immutable.
///
/// @param bytesScanned read and checked because nothing said that they were durable
/// @param bytesCut of torn batches at the end
/// @param tornFiles where cut bytes that were not zeros are kept for a person to look at
/// @param indexesRebuilt of segments whose index was missing or wrong
/// @param batchesReplayed headers read to know the producers again
/// @param damages of durable bytes found so far; reads of them fail, nothing was removed
public record RecoveryReport(
        long bytesScanned,
        long bytesCut,
        List<String> tornFiles,
        int indexesRebuilt,
        long batchesReplayed,
        List<Damage> damages) {}
