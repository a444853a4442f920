package io.sluice.simulation.log;

import io.sluice.log.PartitionLog;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.record.RecordBatch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What the log has been given and what it has promised, remembered in the plainest way.
///
/// Owned by its run.
final class LogModel {
    private final NavigableMap<Long, ModelBatch> batches = new TreeMap<>();
    private final List<Long> damaged = new ArrayList<>();
    private long end;
    private long start;
    private long durableStart;
    private long highestStart;
    private long acknowledged;
    private long mayEndAt = Long.MAX_VALUE;
    private boolean startMayBeForgotten;
    private boolean unreadable;
    private boolean everDamaged;

    // What happens to the log.

    void appended(ModelBatch batch) {
        batches.put(batch.baseOffset(), batch);
        end = batch.nextOffset();
    }

    /// Everything below is promised to survive.
    void acknowledged(long offset) {
        acknowledged = Math.max(acknowledged, offset);
    }

    /// The log no longer shows what is below; a crash may bring it back until [#startIsDurable].
    void startMoved(long offset) {
        start = Math.max(start, offset);
        highestStart = Math.max(highestStart, offset);
    }

    void startIsDurable(long offset) {
        startMoved(offset);
        durableStart = Math.max(durableStart, offset);
    }

    /// The batch with this offset was damaged at rest: it and those behind it in its file may be refused.
    void damaged(long offset) {
        damaged.add(offset);
        everDamaged = true;
    }

    /// The log is about to be opened, and knows without looking at the batches that it was durable up to here. Damage behind that
    /// it must take for a torn tail.
    void knownDurable(long offset) {
        for (long damage : damaged) {
            if (damage >= offset) {
                mayEndAt = Math.min(mayEndAt, damage);
            }
        }
    }

    /// Some place on the disk cannot be read for now, so that any read may be refused.
    void unreadable(boolean now) {
        unreadable = now;
    }

    boolean isUnreadable() {
        return unreadable;
    }

    void startMayBeForgotten() {
        startMayBeForgotten = true;
    }

    /// The log has been opened again, and the invariants have agreed to where it begins and ends.
    void reopened(PartitionLog log) {
        batches.tailMap(log.endOffset(), true).clear();
        end = log.endOffset();
        start = log.startOffset();
        if (end < acknowledged) {
            highestStart =
                    Math.max(highestStart, end); // Damage took what superseded older records.
        }
        durableStart = Math.min(durableStart, start);
        acknowledged = Math.max(Math.min(acknowledged, end), log.durableOffset());
        mayEndAt = Long.MAX_VALUE;
        startMayBeForgotten = false;
    }

    // What must be true of it.

    long end() {
        return end;
    }

    long start() {
        return start;
    }

    /// Below this nobody has a right to anything: the records were deleted once, even if a crash has brought some back.
    long highestStart() {
        return highestStart;
    }

    long durableStart() {
        return startMayBeForgotten ? 0 : durableStart;
    }

    long acknowledged() {
        return acknowledged;
    }

    /// How much must be there after a restart.
    long surelyKept() {
        return Math.min(acknowledged, mayEndAt);
    }

    /// Something was damaged once: what producers were told need not be true any more.
    boolean hasDamage() {
        return unreadable || everDamaged;
    }

    /// True when the log may refuse to serve this offset: there is damage before it in its segment, or in the segment that was there and is gone as a whole.
    boolean isDamaged(PartitionLog log, long offset) {
        if (unreadable) {
            return true;
        }
        long from = 0;
        long to = Long.MAX_VALUE;
        for (SegmentFacts segment : log.segments()) {
            if (offset >= segment.baseOffset() && offset < segment.endOffset()) {
                return isDamagedIn(segment.baseOffset(), offset + 1);
            }
            if (segment.endOffset() <= offset) {
                from = Math.max(from, segment.endOffset());
            } else {
                to = Math.min(to, segment.baseOffset());
            }
        }
        return isDamagedIn(from, to);
    }

    private boolean isDamagedIn(long from, long to) {
        return damaged.stream().anyMatch(damage -> damage >= from && damage < to);
    }

    /// True when this file was damaged and the log can have come to it from this offset.
    boolean hasDamagedFile(PartitionLog log, long fromOffset, String file) {
        for (SegmentFacts segment : log.segments()) {
            if (file.endsWith(LogFolder.name(segment.baseOffset(), LogFolder.LOG))) {
                return fromOffset < segment.endOffset()
                        && isDamagedIn(segment.baseOffset(), segment.endOffset());
            }
        }
        return false;
    }

    /// True when a log could end here: behind a batch, or before any.
    boolean isBoundary(long offset) {
        Map.Entry<Long, ModelBatch> last = batches.lowerEntry(offset);
        return last == null || last.getValue().nextOffset() <= offset;
    }

    @Nullable ModelBatch at(long baseOffset) {
        return batches.get(baseOffset);
    }

    /// The batch that holds the offset, or the next behind it.
    @Nullable ModelBatch holding(long offset) {
        Map.Entry<Long, ModelBatch> floor = batches.floorEntry(offset);
        if (floor != null && floor.getValue().nextOffset() > offset) {
            return floor.getValue();
        }
        Map.Entry<Long, ModelBatch> higher = batches.higherEntry(offset);
        return higher == null ? null : higher.getValue();
    }

    /// The batch in the log with the same producer, epoch and sequence.
    @Nullable ModelBatch withSequenceOf(RecordBatch other) {
        for (ModelBatch batch : batches.values()) {
            if (batch.sameSequence(other) && batch.nextOffset() > start) {
                return batch;
            }
        }
        return null;
    }

    Collection<ModelBatch> batches() {
        return Collections.unmodifiableCollection(batches.values());
    }
}
