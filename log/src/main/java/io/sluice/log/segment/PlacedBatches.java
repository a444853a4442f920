package io.sluice.log.segment;

import io.sluice.env.DiskFile;
import io.sluice.record.BatchReader.Flaw;
import io.sluice.record.RecordBatch;
import org.jspecify.annotations.Nullable;

/// Reads a segment whose facts are known, and believes a batch only if its checksum holds and its offset and epoch belong where it lies.
///
/// Every look at stored bytes that decides whether they are sound goes through here, or through recovery where nothing is known yet. Owned by its creator; blocks.
public final class PlacedBatches {
    private final DiskFile file;
    private final SparseIndex index;
    private final BatchScanner scanner;
    private final OffsetCheck offsets;
    private final EpochCheck epochs;
    private @Nullable Damage damage;

    /// @param from a boundary that the index knows, or 0
    public PlacedBatches(
            DiskFile file, SegmentFacts facts, SparseIndex index, EpochCheck epochs, int from) {
        this.file = file;
        this.index = index;
        this.epochs = epochs;
        this.scanner = BatchScanner.verifying(file, from, facts.sizeInBytes());
        this.offsets = new OffsetCheck(facts, index, from);
    }

    /// The next sound batch's header; null at the end, or at a [#damage].
    public @Nullable RecordBatch next() {
        if (damage != null) {
            return null;
        }
        RecordBatch batch = scanner.next();
        if (batch == null) {
            Flaw flaw = scanner.flaw();
            if (flaw != null) {
                damage = DamageSurvey.at(file, scanner, flaw, index, scanner.end());
            }
            return null;
        }
        if (!offsets.accept(batch, scanner)) {
            damage = misplaced("the offset " + batch.baseOffset() + " does not belong here");
        } else if (!epochs.allows(batch.leaderEpoch(), batch.baseOffset())) {
            damage = misplaced("the leader epoch " + batch.leaderEpoch() + " does not belong here");
        }
        return damage == null ? batch : null;
    }

    private Damage misplaced(String sentence) {
        return new Damage(file.path(), scanner.batchPosition(), scanner.position(), sentence);
    }

    public @Nullable Damage damage() {
        return damage;
    }

    /// Goes on behind the damage.
    public void skipDamage() {
        Damage found = damage;
        damage = null;
        if (found != null && scanner.flaw() != null) {
            scanner.skipTo(found.endPosition());
            offsets.resume();
        }
    }

    /// The end of what was read so far; at a damage, its beginning.
    public int position() {
        Damage found = damage;
        return (int) (found == null ? scanner.position() : found.position());
    }

    /// All bytes of the batch that [#next] returned.
    public RecordBatch wholeBatch() {
        return scanner.wholeBatch();
    }
}
