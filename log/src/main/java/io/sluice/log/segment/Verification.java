package io.sluice.log.segment;

import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import io.sluice.record.Invariant;
import io.sluice.record.RecordBatch;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Checks a stretch of a segment before the first read of it after a start, and loads the index on the way.
///
/// Made by the owner, run by a worker, handed back to the owner. Bytes that this process wrote itself never come here; bytes that were
/// checked once are served without a look (and so can be sent with `sendfile`). Reading them here also brings them into the page cache.
public final class Verification {
    /// More than a consumer's fetch, so that a sequential reader is rarely sent here; little enough to be quick.
    private static final int STRETCH_BYTES = 4 << 20;

    private final Segment segment;
    private final SegmentFacts facts;
    private final LogFolder folder;
    private final EpochCheck epochs;
    private final long fromOffset;
    private final int fromPosition;
    private final int wantedBytes;
    private @Nullable SparseIndex index;
    private final List<Damage> damages = new ArrayList<>();
    private final List<int[]> ranges = new ArrayList<>();
    private boolean keepsIndex = true;
    private int endPosition;
    private boolean done;

    private Verification(
            Segment segment,
            EpochCheck epochs,
            long fromOffset,
            int fromPosition,
            int wantedBytes) {
        this.segment = segment;
        this.epochs = epochs;
        this.facts = segment.facts();
        this.folder = segment.folder();
        SparseIndex known = segment.index();
        this.index = known == null ? null : known.view();
        this.fromOffset = fromOffset;
        this.fromPosition = fromPosition;
        this.wantedBytes = wantedBytes;
    }

    /// @param fromPosition a boundary to begin at, or -1 to begin where the index places the offset
    public static Verification forRead(
            Segment segment,
            EpochCheck epochs,
            long fromOffset,
            int fromPosition,
            int wantedBytes) {
        return new Verification(
                segment, epochs, fromOffset, fromPosition, Math.max(STRETCH_BYTES, wantedBytes));
    }

    /// A check of a stretch, whatever is known about it, for scrubbing; [#endPosition] tells where the next begins.
    ///
    /// @param fromPosition a boundary
    public static Verification ofStretch(
            Segment segment, EpochCheck epochs, int fromPosition, int bytes) {
        Verification scrub =
                new Verification(segment, epochs, segment.baseOffset(), fromPosition, bytes);
        scrub.keepsIndex = false; // Nobody reads there: it would stay in memory for nothing.
        return scrub;
    }

    /// A check of the whole segment, for scrubbing.
    public static Verification ofWhole(Segment segment, EpochCheck epochs) {
        return new Verification(segment, epochs, segment.baseOffset(), 0, Integer.MAX_VALUE);
    }

    public Segment segment() {
        return segment;
    }

    /// On a worker: reads and checks. Throws [DiskException] when the disk cannot be read.
    public void run() {
        try (DiskFile file = folder.disk().openForReading(segmentPath())) {
            check(file);
        } catch (DiskException e) {
            if (e.kind() != DiskException.Kind.NOT_FOUND) {
                throw e;
            }
            damages.add(new Damage(segmentPath(), 0, facts.sizeInBytes(), "the file is gone"));
            endPosition = facts.sizeInBytes();
        }
        done = true;
    }

    private void check(DiskFile file) {
        SparseIndex entries = index;
        if (entries == null) {
            entries = IndexRebuild.loadOrRebuild(folder, facts, file);
            index = entries;
        }
        int wanted =
                fromPosition >= 0
                        ? fromPosition
                        : entries.positionAtOrBelowOffset(fromOffset - facts.baseOffset());
        // From an entry of the index on, because its offset is known.
        int from = entries.boundaryAtOrBelow(wanted);
        int end = (int) Math.min((long) wanted + wantedBytes, facts.sizeInBytes());
        check(file, entries, from, end);
    }

    private void check(DiskFile file, SparseIndex entries, int from, int end) {
        PlacedBatches batches = new PlacedBatches(file, facts, entries, epochs, from);
        int rangeStart = from;
        while (true) {
            RecordBatch batch = batches.next();
            if (batch != null && batches.position() < end) {
                continue;
            }
            ranges.add(new int[] {rangeStart, batches.position()});
            Damage damage = batches.damage();
            if (damage == null) {
                endPosition = batches.position();
                return;
            }
            damages.add(damage);
            rangeStart = (int) damage.endPosition();
            batches.skipDamage();
        }
    }

    /// On the owner: the segment now knows what is sound and what is not.
    public void complete() {
        Invariant.check(done, "a verification was completed that did not run");
        SparseIndex loaded = index;
        if (keepsIndex && segment.index() == null) {
            segment.learn(loaded == null ? new SparseIndex() : loaded);
        }
        for (int[] range : ranges) {
            segment.verified().add(range[0], range[1]);
        }
        for (Damage damage : damages) {
            segment.addDamage(damage);
        }
    }

    /// Behind what was checked: a boundary, or the end of the segment.
    public int endPosition() {
        return endPosition;
    }

    public List<Damage> damages() {
        return damages;
    }

    private String segmentPath() {
        return folder.path(facts.baseOffset(), LogFolder.LOG);
    }
}
