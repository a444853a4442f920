package io.sluice.log.segment;

import io.sluice.env.DiskFile;
import io.sluice.record.RecordBatch;
import org.jspecify.annotations.Nullable;

/// Finds the bytes of one segment that answer a read: from the batch that holds an offset to a batch boundary within the limits.
///
/// Looks first at the recent batches, then at the index, and walks over headers only where neither knows a boundary. Never looks at bytes that
/// nobody has checked, so a damaged length cannot lead it astray. Owned by its caller for one read.
public final class RangeFinder {
    private final Segment segment;
    private final SparseIndex index;
    private final @Nullable RecentBatches recent;
    private final DiskFile file;

    private RangeFinder(
            Segment segment, SparseIndex index, @Nullable RecentBatches recent, DiskFile file) {
        this.segment = segment;
        this.index = index;
        this.recent = recent;
        this.file = file;
    }

    /// @param active the log's active segment, whose recent batches help when it is the one to search
    public static RangeFinder in(
            Segment segment, SparseIndex index, @Nullable ActiveSegment active, DiskFile file) {
        return new RangeFinder(
                segment,
                index,
                active != null && active.segment().equals(segment) ? active.recent() : null,
                file);
    }

    /// What a search comes to.
    public sealed interface Result {
        /// Half-open, both batch boundaries, not empty.
        record Range(int from, int to) implements Result {}

        /// Nobody has checked the bytes from this boundary on.
        record Unverified(int from) implements Result {}

        record Broken(Damage damage) implements Result {}

        /// All batches of this segment end at or before the offset.
        record Behind() implements Result {}

        /// The limits leave no room for a batch.
        record Nothing() implements Result {}
    }

    public Result find(long fromOffset, int maxBytes, long limitOffset, boolean atLeastOneBatch) {
        int known = recent == null ? -1 : recent.positionOf(fromOffset);
        if (known >= 0) {
            return known == segment.sizeInBytes()
                    ? new Result.Behind()
                    : rangeFrom(known, maxBytes, limitOffset, atLeastOneBatch);
        }
        int at = index.positionAtOrBelowOffset(fromOffset - segment.baseOffset());
        while (true) {
            int checkedEnd = segment.verified().endFrom(at);
            BatchScanner walk = BatchScanner.walking(file, at, checkedEnd);
            for (RecordBatch batch = walk.next(); batch != null; batch = walk.next()) {
                if (batch.nextOffset() > fromOffset) {
                    int position = (int) walk.batchPosition();
                    Damage hidden = findDamageBefore(position, batch, fromOffset);
                    return hidden != null
                            ? new Result.Broken(hidden)
                            : rangeFrom(position, maxBytes, limitOffset, atLeastOneBatch);
                }
            }
            Damage damage = segment.findDamageAt(checkedEnd);
            if (damage == null) {
                return checkedEnd == segment.sizeInBytes()
                        ? new Result.Behind()
                        : new Result.Unverified(checkedEnd);
            }
            if (damage.endPosition() >= segment.sizeInBytes()) {
                return new Result.Broken(damage);
            }
            at = (int) damage.endPosition();
        }
    }

    /// An offset in front of the first sound batch behind a damage was in the damage: skipping it would hide a loss.
    private @Nullable Damage findDamageBefore(long position, RecordBatch batch, long fromOffset) {
        if (batch.baseOffset() <= fromOffset) {
            return null;
        }
        for (Damage damage : segment.damages()) {
            if (damage.endPosition() == position) {
                return damage;
            }
        }
        return null;
    }

    private Result rangeFrom(int from, int maxBytes, long limitOffset, boolean atLeastOneBatch) {
        int end = Math.min(segment.verified().endFrom(from), endByOffset(from, limitOffset));
        if (end <= from) {
            return new Result.Nothing();
        }
        if (end - from <= maxBytes) {
            return new Result.Range(from, end);
        }
        int boundary = index.boundaryAtOrBelow((long) from + maxBytes);
        if (boundary <= from) {
            boundary = walkBySize(from, end, maxBytes, atLeastOneBatch);
        }
        return boundary <= from ? new Result.Nothing() : new Result.Range(from, boundary);
    }

    /// A boundary such that everything before it ends at or before the limit.
    private int endByOffset(int from, long limitOffset) {
        if (limitOffset >= segment.endOffset()) {
            return segment.sizeInBytes();
        }
        int known = recent == null ? -1 : recent.positionOf(limitOffset);
        if (known < 0) {
            known = index.positionAtOrBelowOffset(limitOffset - segment.baseOffset());
        }
        if (known > from) {
            return known;
        }
        BatchScanner walk = BatchScanner.walking(file, from, segment.verified().endFrom(from));
        for (RecordBatch batch = walk.next(); batch != null; batch = walk.next()) {
            if (batch.nextOffset() > limitOffset) {
                return (int) walk.batchPosition();
            }
        }
        return (int) walk.position();
    }

    private int walkBySize(int from, int end, int maxBytes, boolean atLeastOneBatch) {
        BatchScanner walk = BatchScanner.walking(file, from, end);
        int boundary = from;
        while (walk.next() != null) {
            boolean fits = walk.position() - from <= maxBytes;
            if (!fits && !(atLeastOneBatch && boundary == from)) {
                break;
            }
            boundary = (int) walk.position();
            if (!fits) {
                break;
            }
        }
        return boundary;
    }
}
