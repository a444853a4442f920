package io.sluice.log.segment;

/// Decides how much room to reserve ahead of the active segment's end. Pure.
///
/// A force of a file whose size does not change is two to three times cheaper than of one that grows. A small partition reserves nothing; one
/// that is written a lot reserves in doubling steps.
public final class Preallocation {
    static final int SMALLEST_STEP_BYTES = 64 << 10;
    static final int LARGEST_STEP_BYTES = 64 << 20;

    private Preallocation() {}

    /// The size that the file should have, or 0 when it is fine as it is.
    ///
    /// @param written bytes of batches in the file
    /// @param reserved the size that was asked for last
    /// @param roll the size at which the segment ends
    public static long target(int written, long reserved, long roll) {
        if (written < SMALLEST_STEP_BYTES || reserved >= roll) {
            return 0;
        }
        int step = Math.min(LARGEST_STEP_BYTES, Integer.highestOneBit(written));
        if (reserved - written >= step / 2) {
            return 0;
        }
        return Math.min(roll, (long) written + step);
    }
}
