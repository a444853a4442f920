package io.sluice.log.compaction;

import io.sluice.log.segment.SegmentFacts;
import java.util.ArrayList;
import java.util.List;

/// Decides which neighbouring segments become one, so that compaction does not leave ever smaller files. Pure.
final class SegmentGroups {
    private SegmentGroups() {}

    /// @param mapEnd segments that begin at or behind it are not touched
    static List<List<SegmentFacts>> of(
            List<SegmentFacts> segments, long mapEnd, Compaction.Limits limits) {
        List<List<SegmentFacts>> groups = new ArrayList<>();
        List<SegmentFacts> group = new ArrayList<>();
        long bytes = 0;
        for (SegmentFacts segment : segments) {
            if (segment.baseOffset() >= mapEnd) {
                break;
            }
            boolean fits =
                    group.isEmpty()
                            || (bytes + segment.sizeInBytes() <= limits.segmentBytes()
                                    && segment.endOffset() - group.getFirst().baseOffset()
                                            <= Integer.MAX_VALUE);
            if (!fits) {
                groups.add(group);
                group = new ArrayList<>();
                bytes = 0;
            }
            group.add(segment);
            bytes += segment.sizeInBytes();
        }
        if (!group.isEmpty()) {
            groups.add(group);
        }
        return groups;
    }
}
