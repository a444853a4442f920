package io.sluice.log.segment;

import java.util.Arrays;

/// Which parts of a segment have been checked since this process opened it.
///
/// Half-open ranges between batch boundaries, merged as they meet: nearly always none or one. Owned by its segment.
public final class VerifiedRanges {
    private static final int[] NONE = {};

    /// Alternating starts and ends, ascending.
    private int[] bounds = NONE;

    public void add(int from, int to) {
        if (from >= to) {
            return;
        }
        if (bounds.length == 2 && from >= bounds[0] && from <= bounds[1]) {
            bounds[1] = Math.max(bounds[1], to); // A growing segment: nothing is allocated.
            return;
        }
        int[] merged = new int[bounds.length + 2];
        int count = 0;
        int start = from;
        int end = to;
        boolean placed = false;
        for (int i = 0; i < bounds.length; i += 2) {
            if (bounds[i + 1] < start) {
                merged[count++] = bounds[i];
                merged[count++] = bounds[i + 1];
            } else if (bounds[i] > end) {
                if (!placed) {
                    merged[count++] = start;
                    merged[count++] = end;
                    placed = true;
                }
                merged[count++] = bounds[i];
                merged[count++] = bounds[i + 1];
            } else {
                start = Math.min(start, bounds[i]);
                end = Math.max(end, bounds[i + 1]);
            }
        }
        if (!placed) {
            merged[count++] = start;
            merged[count++] = end;
        }
        bounds = Arrays.copyOf(merged, count);
    }

    /// The end of the checked range that holds this position; the position itself when it is not checked.
    public int endFrom(int position) {
        for (int i = 0; i < bounds.length; i += 2) {
            if (bounds[i] <= position && position < bounds[i + 1]) {
                return bounds[i + 1];
            }
        }
        return position;
    }

    /// Forgets what lies in between: it has rotted since it was checked.
    public void remove(int from, int to) {
        int[] before = bounds;
        bounds = NONE;
        for (int i = 0; i < before.length; i += 2) {
            add(before[i], Math.min(before[i + 1], from));
            add(Math.max(before[i], to), before[i + 1]);
        }
    }
}
