package io.sluice.log;

import io.sluice.log.segment.SegmentFacts;
import io.sluice.record.RecordBatch;
import java.util.List;

/// Decides when the active segment is full or old enough for a new one. Pure.
final class RollPolicy {
    private RollPolicy() {}

    /// @param createdMillis when this process began or opened the segment
    static boolean shouldRoll(
            SegmentFacts active,
            long createdMillis,
            List<RecordBatch> batches,
            int bytes,
            long nowMillis,
            TopicSettings settings) {
        if (active.sizeInBytes() == 0) {
            return false;
        }
        return (long) active.sizeInBytes() + bytes > settings.segments().bytes()
                || isOld(
                        active,
                        createdMillis,
                        batches.getFirst().maxTimestamp(),
                        nowMillis,
                        settings)
                || batches.getLast().lastOffset() - active.baseOffset() > Integer.MAX_VALUE;
    }

    /// By the broker's clock, or by the records' own: the latter survives a restart, and lets old data that is copied in be split by its age.
    static boolean isOld(
            SegmentFacts active,
            long createdMillis,
            long latestTimestamp,
            long nowMillis,
            TopicSettings settings) {
        long limit = lifetime(settings) - jitter(active.baseOffset(), settings.segments());
        return nowMillis - createdMillis > limit
                || (active.firstTimestamp() >= 0
                        && latestTimestamp - active.firstTimestamp() > limit);
    }

    /// Only a closed segment can be compacted, so `max.compaction.lag.ms` closes it in time.
    private static long lifetime(TopicSettings settings) {
        return settings.compaction().enabled()
                ? Math.min(settings.segments().millis(), settings.compaction().maxLagMillis())
                : settings.segments().millis();
    }

    /// Different for each segment, the same each time it is asked.
    private static long jitter(long baseOffset, TopicSettings.Segments settings) {
        long most = Math.min(settings.jitterMillis(), settings.millis());
        long mixed = baseOffset * 0x9E3779B97F4A7C15L;
        return most == 0 ? 0 : Long.remainderUnsigned(mixed ^ (mixed >>> 32), most);
    }
}
