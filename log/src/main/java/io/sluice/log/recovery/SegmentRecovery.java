package io.sluice.log.recovery;

import io.sluice.env.DiskFile;
import io.sluice.log.segment.BatchScanner;
import io.sluice.log.segment.Damage;
import io.sluice.log.segment.DamageSurvey;
import io.sluice.log.segment.IndexFile;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.Segment;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.segment.SegmentGrowth;
import io.sluice.log.segment.SparseIndex;
import io.sluice.record.BatchReader.Flaw;
import io.sluice.record.RecordBatch;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Recovers one segment that was not sealed: walks over what is durable, checks what is not, cuts what is torn.
///
/// ```
///   0 ............ index snapshot ........ durable ............... good end ......... file end
///   | trusted      | headers walked        | every byte checked    | cut, kept if     |
///   |              |                       | and written again     | not zeros        |
/// ```
final class SegmentRecovery {
    private final LogFolder folder;
    private final long baseOffset;
    private final DurableMark mark;
    private final int indexIntervalBytes;
    private final List<Damage> damages = new ArrayList<>();

    SegmentRecovery(LogFolder folder, long baseOffset, DurableMark mark, int indexIntervalBytes) {
        this.folder = folder;
        this.baseOffset = baseOffset;
        this.mark = mark;
        this.indexIntervalBytes = indexIntervalBytes;
    }

    /// How far the segment is known to be durable.
    ///
    /// @param position [Integer#MAX_VALUE] for as much as there is
    /// @param offset at that position, or -1 when not known
    record DurableMark(int position, long offset) {
        static final DurableMark NOTHING = new DurableMark(0, -1);
        static final DurableMark EVERYTHING = new DurableMark(Integer.MAX_VALUE, -1);
    }

    /// @param durable the position and offset up to which nothing has to be flushed
    /// @param appendable false when durable bytes are missing at the end, so that nothing may follow them
    /// @param walked bytes whose headers were read to know the index again
    record Result(
            Segment segment,
            SparseIndex index,
            DurableMark durable,
            boolean appendable,
            long walked,
            long scanned,
            long cut,
            @Nullable String tornFile) {}

    /// @param hasIndex whether there is an index file to look at
    Result run(boolean hasIndex) {
        try (DiskFile file = folder.disk().open(folder.path(baseOffset, LogFolder.LOG))) {
            long size = Math.min(file.size(), Integer.MAX_VALUE);
            return recover(file, size, startingPoint(size, hasIndex));
        }
    }

    private Result recover(DiskFile file, long size, SegmentGrowth growth) {
        long trusted = growth.facts().sizeInBytes();
        // An index snapshot is only ever written of durable bytes, so it may be ahead of the
        // recovery point.
        long floor =
                mark.position() == Integer.MAX_VALUE ? size : Math.max(mark.position(), trusted);
        walkDurable(file, growth, Math.min(floor, size), floor);
        boolean appendable = size >= floor;
        DurableMark durable =
                new DurableMark(growth.facts().sizeInBytes(), growth.facts().endOffset());
        long walked = Math.min(floor, size) - trusted;
        if (!appendable) {
            return new Result(segment(growth), growth.index(), durable, false, walked, 0, 0, null);
        }
        scanTail(file, growth, size);
        long goodEnd = growth.facts().sizeInBytes();
        String tornFile = null;
        if (goodEnd < size) {
            tornFile = TornTail.keep(folder, file, goodEnd, size);
            file.truncate(goodEnd);
            file.force();
        }
        TornTail.writeAgain(file, durable.position(), goodEnd);
        Segment segment = segment(growth);
        segment.verified().add(durable.position(), (int) goodEnd);
        return new Result(
                segment,
                growth.index(),
                durable,
                true,
                walked,
                goodEnd - durable.position(),
                tornFile == null ? 0 : size - goodEnd,
                tornFile);
    }

    private SegmentGrowth startingPoint(long size, boolean hasIndex) {
        IndexFile.Content content = hasIndex ? IndexFile.read(folder, baseOffset) : null;
        if (content != null && !content.facts().sealed() && content.facts().sizeInBytes() <= size) {
            return new SegmentGrowth(content.facts(), content.index(), indexIntervalBytes);
        }
        return SegmentGrowth.begin(baseOffset, indexIntervalBytes);
    }

    /// Reads headers only: these bytes were checked when they were written, and will be again before they are served.
    private void walkDurable(DiskFile file, SegmentGrowth growth, long end, long floor) {
        BatchScanner walk = BatchScanner.walking(file, growth.facts().sizeInBytes(), end);
        for (RecordBatch batch = walk.next(); batch != null; batch = walk.next()) {
            if (!growth.continues(batch)) {
                damage(growth, walk.batchPosition(), floor, "an offset that goes back");
                return;
            }
            growth.add(batch);
        }
        Flaw flaw = walk.flaw();
        if (end < floor) {
            damage(
                    growth,
                    walk.position(),
                    floor,
                    "the file ends at " + end + ", but " + floor + " bytes were durable");
        } else if (flaw == Flaw.EMPTY
                && mark.equals(DurableMark.EVERYTHING)
                && TornTail.isZeros(file, walk.position(), end)) {
            return; // Room ahead that was not cut off yet, not damage.
        } else if (flaw != null) {
            Damage found = DamageSurvey.at(file, walk, flaw, growth.index(), floor);
            damage(growth, found.position(), floor, found.sentence());
        }
    }

    private void damage(SegmentGrowth growth, long position, long end, String sentence) {
        damages.add(new Damage(folder.path(baseOffset, LogFolder.LOG), position, end, sentence));
        growth.skipTo((int) end, mark.offset());
    }

    private static void scanTail(DiskFile file, SegmentGrowth growth, long size) {
        BatchScanner scanner = BatchScanner.verifying(file, growth.facts().sizeInBytes(), size);
        for (RecordBatch batch = scanner.next(); batch != null; batch = scanner.next()) {
            if (!growth.continues(batch)) {
                return;
            }
            growth.add(batch);
        }
    }

    private Segment segment(SegmentGrowth growth) {
        SegmentFacts facts = growth.facts();
        Segment segment = new Segment(folder, facts, growth.index());
        damages.forEach(segment::addDamage);
        return segment;
    }
}
