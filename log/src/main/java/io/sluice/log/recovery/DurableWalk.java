package io.sluice.log.recovery;

import io.sluice.env.DiskFile;
import io.sluice.log.recovery.SegmentRecovery.DurableMark;
import io.sluice.log.segment.BatchScanner;
import io.sluice.log.segment.Damage;
import io.sluice.log.segment.DamageSurvey;
import io.sluice.log.segment.SegmentGrowth;
import io.sluice.log.segment.SparseIndex;
import io.sluice.record.BatchReader.Flaw;
import io.sluice.record.RecordBatch;
import java.util.ArrayList;
import java.util.List;

/// Walks over the durable part of a segment that was not sealed, to know its facts and index again. Nothing here is cut.
///
/// Reads headers only: the bytes were checked when they were written, and will be again before they are served. Only when something is not as it should
/// be, goes over them a second time with every checksum, to find exactly what is damaged.
final class DurableWalk {
    /// No offset is missing at the end of the segment.
    static final long WHOLE = -1;

    private final DiskFile file;
    private final Succession succession;
    private final long end;
    private final long floor;
    private final DurableMark mark;
    private final List<Damage> damages = new ArrayList<>();
    private long soundEnd = WHOLE;

    /// @param end of the durable bytes that are there
    /// @param floor of those that should be
    DurableWalk(DiskFile file, Succession succession, DurableMark mark, long end, long floor) {
        this.file = file;
        this.succession = succession;
        this.mark = mark;
        this.end = end;
        this.floor = floor;
    }

    List<Damage> damages() {
        return damages;
    }

    /// Where the file ends before its durable bytes do, or [#WHOLE].
    long soundEnd() {
        return soundEnd;
    }

    /// True when everything up to the floor is as it should be.
    boolean quick(SegmentGrowth growth) {
        BatchScanner walk = BatchScanner.walking(file, growth.facts().sizeInBytes(), end);
        for (RecordBatch batch = walk.next(); batch != null; batch = walk.next()) {
            if (!succession.isPlain(growth.facts(), batch)) {
                return false;
            }
            growth.add(batch);
        }
        return end == floor
                && (walk.flaw() == null || isReservedRoom(walk))
                && (expectedOffset() < 0 || growth.facts().endOffset() == expectedOffset());
    }

    /// Where the log must be at the floor, -1 when nobody knows.
    private long expectedOffset() {
        return mark.isEverything() || mark.position() == floor ? mark.offset() : -1;
    }

    /// Not cut off yet when the segment was full.
    private boolean isReservedRoom(BatchScanner walk) {
        return walk.flaw() == Flaw.EMPTY
                && mark.isEverything()
                && TornTail.isZeros(file, walk.position(), end);
    }

    /// Finds what is damaged and goes on behind it.
    void careful(SegmentGrowth growth) {
        BatchScanner scanner = BatchScanner.verifying(file, growth.facts().sizeInBytes(), end);
        boolean gapExplained = false;
        while (true) {
            RecordBatch batch = scanner.next();
            if (batch == null) {
                Flaw flaw = scanner.flaw();
                boolean fileEnds = flaw == Flaw.TRUNCATED && end < floor;
                if (flaw == null || fileEnds || isReservedRoom(scanner)) {
                    break;
                }
                Damage damage = DamageSurvey.at(file, scanner, flaw, new SparseIndex(), end);
                damages.add(damage);
                growth.skipTo((int) damage.endPosition(), growth.facts().endOffset() + 1);
                scanner.skipTo(damage.endPosition());
                gapExplained = true;
            } else if (isWithin(batch)
                    && succession.accepts(
                            growth.facts(),
                            scanner,
                            batch,
                            gapExplained || isCompactedEnd(scanner))) {
                growth.add(batch);
                gapExplained = false;
            } else {
                damages.add(
                        new Damage(
                                file.path(),
                                scanner.batchPosition(),
                                scanner.position(),
                                "offset or leader epoch do not follow those before"));
                growth.skipTo(
                        (int) scanner.position(),
                        growth.facts().endOffset() + batch.lastOffsetDelta() + 1);
            }
        }
        reachFloor(growth);
    }

    /// The last batch of a compacted segment whose index is lost: the next segment says how far its offset can be off.
    private boolean isCompactedEnd(BatchScanner scanner) {
        return mark.isEverything() && succession.gapsAllowed() && scanner.position() == end;
    }

    private boolean isWithin(RecordBatch batch) {
        return expectedOffset() < 0 || batch.nextOffset() <= expectedOffset();
    }

    private void reachFloor(SegmentGrowth growth) {
        int size = growth.facts().sizeInBytes();
        if (end < floor) {
            String sentence = "the file ends at " + end + ", but " + floor + " bytes were durable";
            damages.add(new Damage(file.path(), size, floor, sentence));
            soundEnd = growth.facts().endOffset();
            growth.skipTo((int) floor, expectedOffset());
        } else if (!damages.isEmpty() || succession.gapsAllowed()) {
            // What is missing at the end was in the damage, or was compacted away.
            growth.skipTo(size, expectedOffset());
        }
    }
}
