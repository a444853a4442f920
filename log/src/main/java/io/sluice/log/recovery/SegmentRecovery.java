package io.sluice.log.recovery;

import io.sluice.env.DiskFile;
import io.sluice.log.segment.BatchScanner;
import io.sluice.log.segment.Damage;
import io.sluice.log.segment.IndexFile;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.Segment;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.segment.SegmentGrowth;
import io.sluice.log.segment.SparseIndex;
import io.sluice.record.RecordBatch;
import java.util.List;
import java.util.Set;
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
    private final Rules rules;
    private List<Damage> damages = List.of();
    private long soundEnd = DurableWalk.WHOLE;

    SegmentRecovery(LogFolder folder, long baseOffset, DurableMark mark, Rules rules) {
        this.folder = folder;
        this.baseOffset = baseOffset;
        this.mark = mark;
        this.rules = rules;
    }

    record Rules(int indexIntervalBytes, Succession succession) {}

    /// How far the segment is known to be durable.
    ///
    /// @param position [Integer#MAX_VALUE] for as much as there is
    /// @param offset at that position, or -1 when not known
    record DurableMark(int position, long offset) {
        static final DurableMark NOTHING = new DurableMark(0, -1);

        /// @param next where the next segment begins, or -1
        static DurableMark everything(long next) {
            return new DurableMark(Integer.MAX_VALUE, next);
        }

        boolean isEverything() {
            return position == Integer.MAX_VALUE;
        }
    }

    /// @param durable the position and offset up to which nothing has to be flushed
    /// @param appendable false when durable bytes are missing at the end, so that nothing may follow them
    /// @param soundEnd the first offset of those that are missing at the end, or [DurableWalk#WHOLE]
    /// @param walked bytes whose headers were read to know the index again
    record Result(
            Segment segment,
            SparseIndex index,
            DurableMark durable,
            boolean appendable,
            long soundEnd,
            long walked,
            long scanned,
            long cut,
            @Nullable String tornFile) {}

    /// @param names in the folder
    Result run(Set<String> names) {
        try (DiskFile file = folder.disk().open(folder.path(baseOffset, LogFolder.LOG))) {
            return recover(file, Math.min(file.size(), Integer.MAX_VALUE), names);
        }
    }

    private Result recover(DiskFile file, long size, Set<String> names) {
        boolean hasIndex = names.contains(LogFolder.name(baseOffset, LogFolder.INDEX));
        SegmentGrowth growth = startingPoint(size, hasIndex);
        long trusted = growth.facts().sizeInBytes();
        // An index snapshot is only ever written of durable bytes, so it may be ahead of the
        // recovery point.
        long floor = mark.isEverything() ? size : Math.max(mark.position(), trusted);
        DurableWalk walk =
                new DurableWalk(file, rules.succession(), mark, Math.min(floor, size), floor);
        if (!walk.quick(growth)) {
            growth = startingPoint(size, hasIndex);
            walk.careful(growth);
            damages = walk.damages();
            soundEnd = walk.soundEnd();
        }
        boolean appendable = size >= floor;
        DurableMark durable =
                new DurableMark(growth.facts().sizeInBytes(), growth.facts().endOffset());
        long walked = Math.min(floor, size) - trusted;
        if (!appendable) {
            return new Result(
                    segment(growth), growth.index(), durable, false, soundEnd, walked, 0, 0, null);
        }
        scanTail(file, growth, size);
        long goodEnd = growth.facts().sizeInBytes();
        String tornFile = null;
        if (goodEnd < size) {
            tornFile = TornTail.keep(folder, baseOffset, file, goodEnd, size);
            file.truncate(goodEnd);
            file.force();
        } else if (names.contains(TornTail.copyOf(baseOffset, goodEnd))) {
            // The force may have failed then: nobody could see that the cut is not on disk.
            TornTail.cutAgain(file, goodEnd);
        }
        TornTail.writeAgain(file, durable.position(), goodEnd);
        Segment segment = segment(growth);
        segment.verified().add(durable.position(), (int) goodEnd);
        return new Result(
                segment,
                growth.index(),
                durable,
                true,
                DurableWalk.WHOLE,
                walked,
                goodEnd - durable.position(),
                tornFile == null ? 0 : size - goodEnd,
                tornFile);
    }

    private SegmentGrowth startingPoint(long size, boolean hasIndex) {
        IndexFile.Content content = hasIndex ? IndexFile.read(folder, baseOffset) : null;
        if (content != null && !content.facts().sealed() && content.facts().sizeInBytes() <= size) {
            return new SegmentGrowth(content.facts(), content.index(), rules.indexIntervalBytes());
        }
        return SegmentGrowth.begin(baseOffset, rules.indexIntervalBytes());
    }

    private void scanTail(DiskFile file, SegmentGrowth growth, long size) {
        BatchScanner scanner = BatchScanner.verifying(file, growth.facts().sizeInBytes(), size);
        for (RecordBatch batch = scanner.next(); batch != null; batch = scanner.next()) {
            if (!rules.succession().accepts(growth.facts(), scanner, batch, false)) {
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
