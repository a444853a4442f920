package io.sluice.log.recovery;

import io.sluice.log.segment.ActiveSegment;
import io.sluice.log.segment.Segment;
import io.sluice.log.segment.SegmentChain;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What recovery hands to the log: sound segments and the state that belongs to them.
///
/// @param active null when the last segment is closed or there is none
/// @param unsealed older segments that still have to be sealed, oldest first
/// @param compactedTo everything below was compacted before
/// @param durable how far nothing has to be flushed
/// @param missing offsets below the end that are in no file
public record RecoveredLog(
        SegmentChain chain,
        @Nullable ActiveSegment active,
        List<Segment> unsealed,
        StateReplay state,
        long startOffset,
        long endOffset,
        long compactedTo,
        DurablePoint durable,
        List<MissingOffsets> missing,
        RecoveryReport report) {}
