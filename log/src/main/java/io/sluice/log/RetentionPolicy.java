package io.sluice.log;

import io.sluice.log.segment.SegmentFacts;
import java.util.List;

/// Decides which of the oldest segments have to go: too old, too much, or wholly before the log's start. Pure.
final class RetentionPolicy {
    private RetentionPolicy() {}

    /// @param count how many of the oldest segments to delete
    /// @param rollLast the last one is due as well, but has to be closed first
    record Decision(int count, boolean rollLast) {}

    /// @param limitOffset nothing at or behind it goes: not every replica may have it
    static Decision decide(
            List<SegmentFacts> segments,
            long startOffset,
            long limitOffset,
            TopicSettings.Retention settings,
            long nowMillis) {
        long total = 0;
        for (SegmentFacts segment : segments) {
            total += segment.sizeInBytes();
        }
        int count = 0;
        for (SegmentFacts segment : segments) {
            boolean due =
                    segment.endOffset() <= startOffset
                            || (settings.deletes()
                                    && (isTooOld(segment, settings, nowMillis)
                                            || isTooMuch(segment, total, settings)
                                            || isHollow(segment)));
            boolean remembersTheEnd = !segment.sealed() && segment.sizeInBytes() == 0;
            if (!due || segment.endOffset() > limitOffset || remembersTheEnd) {
                return new Decision(count, false);
            }
            if (!segment.sealed()) {
                return new Decision(count, count == segments.size() - 1);
            }
            total -= segment.sizeInBytes();
            count++;
        }
        return new Decision(count, false);
    }

    /// A segment whose records carry no timestamp does not age.
    private static boolean isTooOld(
            SegmentFacts segment, TopicSettings.Retention settings, long nowMillis) {
        return settings.millis() >= 0
                && segment.maxTimestamp() >= 0
                && nowMillis - segment.maxTimestamp() > settings.millis();
    }

    /// Compaction left nothing in it.
    private static boolean isHollow(SegmentFacts segment) {
        return segment.sealed() && segment.sizeInBytes() == 0;
    }

    /// Only when what is left still reaches the limit.
    private static boolean isTooMuch(
            SegmentFacts segment, long total, TopicSettings.Retention settings) {
        return settings.bytes() >= 0 && total - segment.sizeInBytes() >= settings.bytes();
    }
}
