package io.sluice.log.segment;

/// Where the last batches of the active segment end, so that readers at the tail need no look at the disk.
///
/// A ring. Owned by its segment.
final class RecentBatches {
    private static final int SIZE = 64;
    private static final int MASK = SIZE - 1;

    private final long[] nextOffsets = new long[SIZE];
    private final int[] endPositions = new int[SIZE];
    private int count;

    void add(long nextOffset, int endPosition) {
        nextOffsets[count & MASK] = nextOffset;
        endPositions[count & MASK] = endPosition;
        count++;
    }

    /// Where the first batch that reaches beyond the offset begins, or -1 when that is too long ago to be known here.
    int positionOf(long offset) {
        int entry = lastAtOrBelow(offset);
        return entry < 0 ? -1 : endPositions[entry & MASK];
    }

    private int lastAtOrBelow(long offset) {
        int oldest = Math.max(0, count - SIZE);
        int low = oldest;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (nextOffsets[middle & MASK] <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == oldest ? -1 : low - 1;
    }
}
