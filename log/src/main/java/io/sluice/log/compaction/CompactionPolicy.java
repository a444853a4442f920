package io.sluice.log.compaction;

import io.sluice.log.segment.SegmentFacts;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decides whether a log is worth compacting, and which part of it. Pure.
///
/// @param minLagMillis records younger than this stay as they are
/// @param maxLagMillis records older than this must be compacted
/// @param minDirtyRatio share of not yet compacted bytes that makes it worthwhile
public record CompactionPolicy(long minLagMillis, long maxLagMillis, double minDirtyRatio) {
    /// @param segments all from the log's start to the end of what may be compacted
    /// @param dirtyFrom the first offset that was never compacted
    public record Range(List<SegmentFacts> segments, long dirtyFrom) {
        public Range {
            segments = List.copyOf(segments);
        }

        public long endOffset() {
            return segments.getLast().endOffset();
        }
    }

    /// @param compactedTo where the last compaction ended
    /// @param limitOffset nothing at or behind it may be compacted: the high watermark
    public @Nullable Range decide(
            List<SegmentFacts> segments, long compactedTo, long limitOffset, long nowMillis) {
        List<SegmentFacts> eligible = eligible(segments, limitOffset, nowMillis);
        if (eligible.isEmpty() || eligible.getLast().endOffset() <= compactedTo) {
            return null;
        }
        long dirtyFrom = Math.max(compactedTo, eligible.getFirst().baseOffset());
        long dirty = 0;
        long total = 0;
        boolean overdue = false;
        for (SegmentFacts segment : eligible) {
            total += segment.sizeInBytes();
            if (segment.endOffset() > dirtyFrom) {
                dirty += segment.sizeInBytes();
                overdue |= isOverdue(segment, nowMillis);
            }
        }
        boolean worthwhile = dirty > 0 && dirty >= minDirtyRatio * total;
        return worthwhile || overdue ? new Range(eligible, dirtyFrom) : null;
    }

    private List<SegmentFacts> eligible(
            List<SegmentFacts> segments, long limitOffset, long nowMillis) {
        List<SegmentFacts> eligible = new ArrayList<>();
        for (SegmentFacts segment : segments) {
            boolean young = minLagMillis > 0 && nowMillis - segment.maxTimestamp() < minLagMillis;
            if (!segment.sealed() || segment.endOffset() > limitOffset || young) {
                break;
            }
            eligible.add(segment);
        }
        return eligible;
    }

    private boolean isOverdue(SegmentFacts segment, long nowMillis) {
        return segment.firstTimestamp() >= 0 && nowMillis - segment.firstTimestamp() > maxLagMillis;
    }
}
