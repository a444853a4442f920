package io.sluice.log.repair;

import io.sluice.env.Disk;
import io.sluice.env.DiskFile;
import io.sluice.log.segment.Damage;
import io.sluice.log.segment.EpochCheck;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.PlacedBatches;
import io.sluice.log.segment.Segment;
import io.sluice.log.segment.SegmentFacts;
import io.sluice.log.segment.SegmentGrowth;
import io.sluice.log.segment.SegmentSwap;
import io.sluice.log.segment.SparseIndex;
import io.sluice.record.BatchReader;
import io.sluice.record.BatchReader.Flaw;
import io.sluice.record.Invariant;
import io.sluice.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One closed segment on its way from damaged to sound, by way of a copy that takes its place as a compacted one would ([SegmentSwap]).
///
/// ```
///   worker   prepare: find the gaps, copy what is sound
///            fill:    another replica's batches, as often as it takes          ── the owner fetches them in between
///            finish:  force, check every byte of the copy, commit
///   owner    PartitionLog.completeRepair: swap in
/// ```
/// A crash before the commit leaves the damaged segment, one after it the sound one. What fills a gap must fit it to the byte, in its offsets, and in its
/// leader epochs; then it is what was there. Made by the owner, handed to one worker at a time.
public final class SegmentRepair {
    private static final int COPY_BYTES = 256 << 10;

    private final Segment segment;
    private final SegmentFacts facts;
    private final LogFolder folder;
    private final EpochCheck epochs;
    private final int indexIntervalBytes;
    private final ArrayDeque<Gap> gaps = new ArrayDeque<>();
    private SparseIndex index = new SparseIndex();
    private long filledTo;
    private int filledAt;
    private int bytesFilled;
    private @Nullable SegmentFacts repaired;

    /// @param facts of the segment, with the end that its neighbour vouches for
    public SegmentRepair(
            Segment segment, SegmentFacts facts, EpochCheck epochs, int indexIntervalBytes) {
        this.segment = segment;
        this.facts = facts;
        this.folder = segment.folder();
        this.epochs = epochs;
        this.indexIntervalBytes = indexIntervalBytes;
    }

    public Segment segment() {
        return segment;
    }

    /// On a worker, first. Afterwards there is a [#gap], or nothing is wrong with the segment any more.
    public void prepare() {
        SegmentSwap.clear(folder);
        GapSurvey survey = new GapSurvey(folder, facts, epochs);
        List<Gap> found = survey.run();
        index = survey.index();
        if (!found.isEmpty()) {
            copySound(found);
            gaps.addAll(found);
            begin(gaps.getFirst());
        }
    }

    private void copySound(List<Gap> found) {
        try (DiskFile to = SegmentSwap.create(folder, facts.baseOffset())) {
            if (found.size() == 1 && found.getFirst().sizeInBytes() == facts.sizeInBytes()) {
                return; // Nothing is left of the old one, perhaps not even the file.
            }
            Disk disk = folder.disk();
            try (DiskFile from = disk.openForReading(segment.path())) {
                int at = 0;
                for (Gap gap : found) {
                    copy(from, to, at, gap.position());
                    at = gap.endPosition();
                }
                copy(from, to, at, facts.sizeInBytes());
            }
        }
    }

    private static void copy(DiskFile from, DiskFile to, int start, int end) {
        ByteBuffer buffer = ByteBuffer.allocate(Math.clamp(end - start, 1, COPY_BYTES));
        for (int at = start; at < end; ) {
            buffer.clear().limit(Math.min(buffer.capacity(), end - at));
            int count = from.read(buffer, at);
            if (count == 0) {
                return; // It has become shorter since; finish() notices.
            }
            to.write(buffer.flip(), at);
            at += count;
        }
    }

    private void begin(Gap gap) {
        filledTo = gap.fromOffset();
        filledAt = gap.position();
    }

    /// What is still missing of the first gap; null when there is none left.
    public @Nullable Gap gap() {
        Gap first = gaps.peek();
        return first == null
                ? null
                : new Gap(filledAt, first.endPosition(), filledTo, first.toOffset());
    }

    /// On a worker: takes batches of another replica, from [#gap] on; those behind the gap are left alone. Null when they fit; otherwise a sentence, and
    /// the gap is as empty as before.
    public @Nullable String fill(ByteBuffer batches) {
        Gap gap = gaps.getFirst();
        int from = batches.position();
        long next = filledTo;
        int size = 0;
        BatchReader reader = new BatchReader(batches);
        for (RecordBatch batch = reader.next(); batch != null; batch = reader.next()) {
            if (batch.baseOffset() >= gap.toOffset()) {
                break;
            }
            size += batch.sizeInBytes();
            if (!fits(batch, next, filledAt + size, gap)) {
                begin(gap);
                return "its batch at offset " + batch.baseOffset() + " is not what was here";
            }
            next = batch.nextOffset();
        }
        Flaw flaw = reader.flaw();
        if (size == 0) {
            begin(gap);
            return flaw == null ? "it has nothing there" : flaw.sentence();
        }
        try (DiskFile to = SegmentSwap.reopen(folder, facts.baseOffset())) {
            to.write(batches.slice(from, size), filledAt);
        }
        bytesFilled += size;
        filledAt += size;
        filledTo = next;
        return endOfGap(gap);
    }

    private boolean fits(RecordBatch batch, long expected, int end, Gap gap) {
        boolean inPlace =
                facts.dense() ? batch.baseOffset() == expected : batch.baseOffset() >= expected;
        return inPlace
                && batch.nextOffset() <= gap.toOffset()
                && end <= gap.endPosition()
                && epochs.allows(batch.leaderEpoch(), batch.baseOffset());
    }

    private @Nullable String endOfGap(Gap gap) {
        boolean full = filledAt == gap.endPosition();
        boolean complete = filledTo == gap.toOffset();
        if (full && (complete || !facts.dense())) {
            gaps.removeFirst();
            if (!gaps.isEmpty()) {
                begin(gaps.getFirst());
            }
            return null;
        }
        if (full || complete) {
            begin(gap);
            return "its batches take another room than those that were here";
        }
        return null;
    }

    /// On a worker, when no gap is left: makes the copy durable, checks all of it, and lets it win. Null, or a sentence when it is not sound; then nothing has changed.
    public @Nullable String finish() {
        SegmentGrowth growth = SegmentGrowth.begin(facts.baseOffset(), indexIntervalBytes);
        try (DiskFile copy = SegmentSwap.reopen(folder, facts.baseOffset())) {
            copy.force();
            PlacedBatches batches = new PlacedBatches(copy, facts, index, epochs, 0);
            for (RecordBatch batch = batches.next(); batch != null; batch = batches.next()) {
                growth.add(batch);
            }
            Damage damage = batches.damage();
            if (damage != null) {
                return "the copy is damaged, too: " + damage;
            }
            if (copy.size() != facts.sizeInBytes()) {
                return "the copy has " + copy.size() + " bytes, not " + facts.sizeInBytes();
            }
        }
        if (facts.dense() && growth.facts().endOffset() != facts.endOffset()) {
            return "the copy ends at offset " + growth.facts().endOffset();
        }
        growth.skipTo(facts.sizeInBytes(), facts.endOffset());
        SegmentFacts sealed = growth.facts().asSealed();
        SegmentSwap.writeIndex(folder, sealed, growth.index());
        SegmentSwap.commit(folder, List.of(sealed));
        repaired = sealed;
        return null;
    }

    /// On a worker: gives up, and removes what was made.
    public void abandon() {
        SegmentSwap.discard(folder, List.of(facts));
    }

    /// The new segment, committed; null when nothing was wrong with the old one.
    public @Nullable SegmentFacts repaired() {
        Invariant.check(gaps.isEmpty(), "a repair was completed that has gaps");
        return repaired;
    }

    public int bytesFilled() {
        return bytesFilled;
    }
}
