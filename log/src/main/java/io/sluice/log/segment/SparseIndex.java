package io.sluice.log.segment;

import io.sluice.record.Invariant;
import java.util.Arrays;

/// Every few kilobytes of a segment: which offset begins where, and how late the timestamps before it are.
///
/// The segment's first batch is known without an entry, so an index of a small segment is empty and costs nothing. An entry means: a batch
/// with this base offset begins here, and no batch before it has a later timestamp than `maxTimestampBefore`. Where offsets are missing, in compacted
/// segments, there always is one: a batch without begins where the one before ends. Owned by its segment;
/// a [#view] may be read by a worker meanwhile, because entries are only added and cutting makes new arrays.
public final class SparseIndex {
    private static final int[] NO_INTS = {};
    private static final long[] NO_LONGS = {};
    private static final int FIRST_CAPACITY = 16;

    private int[] relativeOffsets;
    private int[] positions;
    private long[] maxTimestampsBefore;
    private int count;

    public SparseIndex() {
        this(NO_INTS, NO_INTS, NO_LONGS, 0);
    }

    private SparseIndex(int[] relativeOffsets, int[] positions, long[] times, int count) {
        this.relativeOffsets = relativeOffsets;
        this.positions = positions;
        this.maxTimestampsBefore = times;
        this.count = count;
    }

    /// With room for this many entries and not one more.
    public static SparseIndex sized(int entries) {
        return new SparseIndex(new int[entries], new int[entries], new long[entries], 0);
    }

    public void add(int relativeOffset, int position, long maxTimestampBefore) {
        Invariant.check(
                count == 0 || position > positions[count - 1],
                "an index entry goes back",
                position,
                count == 0 ? 0 : positions[count - 1]);
        if (count == positions.length) {
            resize(Math.max(FIRST_CAPACITY, count * 2));
        }
        relativeOffsets[count] = relativeOffset;
        positions[count] = position;
        maxTimestampsBefore[count] = maxTimestampBefore;
        count++;
    }

    /// Adds an entry when the last one is at least this many bytes away, or when it must be known that offsets are missing in front of the batch.
    ///
    /// @param jump the batch does not begin where the one before ends
    public void consider(
            int relativeOffset, int position, long maxTimestampBefore, int interval, boolean jump) {
        if (jump || (position > 0 && position - lastPosition() >= interval)) {
            add(relativeOffset, position, maxTimestampBefore);
        }
    }

    /// True when there is an entry for the batch that begins here.
    public boolean knows(int position) {
        int entry = firstAbove(position);
        return entry > 0 && positions[entry - 1] == position;
    }

    public int count() {
        return count;
    }

    public int relativeOffset(int entry) {
        return relativeOffsets[entry];
    }

    public int position(int entry) {
        return positions[entry];
    }

    public long maxTimestampBefore(int entry) {
        return maxTimestampsBefore[entry];
    }

    public int lastPosition() {
        return count == 0 ? 0 : positions[count - 1];
    }

    /// Where the last known batch with an offset at or below this one begins.
    public int positionAtOrBelowOffset(long relativeOffset) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (relativeOffsets[middle] <= relativeOffset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? 0 : positions[low - 1];
    }

    /// The last known batch boundary at or below a position.
    public int boundaryAtOrBelow(long position) {
        int entry = firstAbove(position);
        return entry == 0 ? 0 : positions[entry - 1];
    }

    /// The offset of the batch that begins at the last known boundary at or below a position, relative to the segment's base.
    public int relativeOffsetAtOrBelow(long position) {
        int entry = firstAbove(position);
        return entry == 0 ? 0 : relativeOffsets[entry - 1];
    }

    /// The first known batch boundary above a position, or `otherwise`.
    public int boundaryAbove(long position, int otherwise) {
        int entry = firstAbove(position);
        return entry == count ? otherwise : positions[entry];
    }

    /// Where to begin looking for the first record that is not older: nothing before has this timestamp or a later one.
    public int positionBeforeTimestamp(long timestamp) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (maxTimestampsBefore[middle] < timestamp) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? 0 : positions[low - 1];
    }

    /// Forgets the entries at and behind a position.
    public void cut(int position) {
        int keep = position == 0 ? 0 : firstAbove(position - 1L);
        if (keep < count) {
            count = keep;
            resize(keep);
        }
    }

    /// The entries of this moment, to read on another thread while this index grows.
    public SparseIndex view() {
        return new SparseIndex(relativeOffsets, positions, maxTimestampsBefore, count);
    }

    private int firstAbove(long position) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (positions[middle] <= position) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void resize(int capacity) {
        relativeOffsets = Arrays.copyOf(relativeOffsets, capacity);
        positions = Arrays.copyOf(positions, capacity);
        maxTimestampsBefore = Arrays.copyOf(maxTimestampsBefore, capacity);
    }
}
