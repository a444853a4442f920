package io.sluice.log.compaction;

import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import io.sluice.log.segment.Damage;
import io.sluice.log.segment.EpochCheck;
import io.sluice.log.segment.IndexRebuild;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.PlacedBatches;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.segment.SegmentSwap;
import io.sluice.log.segment.SparseIndex;
import io.sluice.record.LogRecord;
import io.sluice.record.MalformedBatch;
import io.sluice.record.RecordBatch;
import io.sluice.record.RecordReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One run of compaction: reads the part of the log that is new since the last one, then writes everything up to there again without what is superseded.
///
/// Decided by the owner, run by a HOUSEKEEPING worker, swapped in by the owner. When the keys do not all fit into the memory allowed, the run ends at
/// the record where it was full, and the next one goes on from there. Stops without a change at the first damaged batch.
public final class Compaction {
    private final LogFolder folder;
    private final CompactionPolicy.Range range;
    private final Limits limits;
    private final State state;
    private final long nowMillis;
    private final List<Replacement> replacements = new ArrayList<>();
    private @Nullable Damage damage;
    private long compactedTo;

    /// @param mapBytes memory for the keys
    /// @param segmentBytes largest segment to make by joining small ones
    public record Limits(
            int mapBytes, int segmentBytes, int indexIntervalBytes, long deleteRetentionMillis) {}

    /// A new segment and the old ones whose place it takes.
    public record Replacement(SegmentFacts compacted, List<SegmentFacts> old) {
        public Replacement {
            old = List.copyOf(old);
        }
    }

    /// What the log knew when the run was decided.
    ///
    /// @param startOffset records before it were deleted by request
    /// @param recentOffsets the last offset of each of a producer's last batches, by producer id
    public record State(long startOffset, EpochCheck epochs, Map<Long, Set<Long>> recentOffsets) {}

    public Compaction(
            LogFolder folder,
            CompactionPolicy.Range range,
            Limits limits,
            State state,
            long nowMillis) {
        this.folder = folder;
        this.range = range;
        this.limits = limits;
        this.state = state;
        this.nowMillis = nowMillis;
    }

    /// On a worker. Throws [DiskException] when the disk fails or is full; the log is then as it was.
    public void run() {
        SegmentSwap.clear(folder);
        try {
            compact();
        } catch (DiskException e) {
            replacements.clear();
            clearAfter(e);
            throw e;
        }
    }

    private void clearAfter(DiskException cause) {
        try {
            SegmentSwap.clear(folder);
        } catch (DiskException e) {
            cause.addSuppressed(e);
        }
    }

    private void compact() {
        OffsetMap latest = new OffsetMap(limits.mapBytes());
        long mapEnd = fill(latest);
        if (damage != null || mapEnd <= range.dirtyFrom()) {
            return;
        }
        RecordFilter filter =
                new RecordFilter(
                        latest,
                        mapEnd,
                        state.startOffset(),
                        nowMillis,
                        limits.deleteRetentionMillis(),
                        state.recentOffsets());
        for (List<SegmentFacts> group : SegmentGroups.of(range.segments(), mapEnd, limits)) {
            replacements.add(new Replacement(rewrite(group, filter), group));
            if (damage != null) {
                SegmentSwap.discard(folder, compacted());
                replacements.clear();
                return;
            }
        }
        SegmentSwap.commit(folder, compacted());
        compactedTo = mapEnd;
    }

    /// Empty when there was nothing to do, or damage in the way.
    public List<Replacement> replacements() {
        return List.copyOf(replacements);
    }

    /// What stopped the run, or null.
    public @Nullable Damage damage() {
        return damage;
    }

    /// Everything below has been compacted, once the replacements are in place.
    public long compactedTo() {
        return compactedTo;
    }

    public List<SegmentFacts> compacted() {
        return replacements.stream().map(Replacement::compacted).toList();
    }

    /// Reads the dirty part; returns the offset up to which the map knows all keys.
    private long fill(OffsetMap latest) {
        for (SegmentFacts segment : range.segments()) {
            if (segment.endOffset() <= range.dirtyFrom()) {
                continue;
            }
            try (DiskFile file = open(segment)) {
                PlacedBatches batches = batches(file, segment);
                for (RecordBatch batch = batches.next(); batch != null; batch = batches.next()) {
                    if (batch.lastOffset() >= range.dirtyFrom() && !batch.isControl()) {
                        long full = add(latest, batches.wholeBatch());
                        if (full >= 0) {
                            return full;
                        }
                    }
                }
                damage = batches.damage();
            }
            if (damage != null) {
                return range.dirtyFrom();
            }
        }
        return range.endOffset();
    }

    /// The offset of the first record for which there was no room, or -1.
    private long add(OffsetMap latest, RecordBatch batch) {
        try {
            RecordReader records = RecordReader.open(batch);
            while (records.hasNext()) {
                LogRecord record = records.next();
                if (record.key() != null
                        && record.offset() >= range.dirtyFrom()
                        && record.offset() >= state.startOffset()
                        && !latest.put(record.key(), record.offset())) {
                    return record.offset();
                }
            }
        } catch (MalformedBatch _) {
            return -1; // Left alone; its readers are told.
        }
        return -1;
    }

    private SegmentFacts rewrite(List<SegmentFacts> group, RecordFilter filter) {
        long base = group.getFirst().baseOffset();
        try (CompactedFile output = new CompactedFile(folder, base, limits.indexIntervalBytes())) {
            for (SegmentFacts segment : group) {
                copy(segment, filter, output);
            }
            return output.finish(group.getLast().endOffset());
        }
    }

    private void copy(SegmentFacts segment, RecordFilter filter, CompactedFile output) {
        try (DiskFile file = open(segment)) {
            PlacedBatches batches = batches(file, segment);
            while (batches.next() != null) {
                RecordBatch left = filter.filter(batches.wholeBatch());
                if (left != null) {
                    output.add(left);
                }
            }
            damage = damage == null ? batches.damage() : damage;
        }
    }

    private PlacedBatches batches(DiskFile file, SegmentFacts segment) {
        SparseIndex index = IndexRebuild.loadOrRebuild(folder, segment, file);
        return new PlacedBatches(file, segment, index, state.epochs(), 0);
    }

    private DiskFile open(SegmentFacts segment) {
        return folder.disk().openForReading(folder.path(segment.baseOffset(), LogFolder.LOG));
    }
}
