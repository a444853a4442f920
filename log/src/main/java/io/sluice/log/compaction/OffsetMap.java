package io.sluice.log.compaction;

import io.sluice.record.Invariant;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/// The last offset of each key, in a fixed amount of memory.
///
/// Keeps 128 bits of a SHA-256 instead of the key: two keys with the same would cost a record, so nobody may be able to make them. Owned by one
/// compaction.
final class OffsetMap {
    private static final int SLOT_BYTES = 24;
    private static final long FREE = -1;

    private final MessageDigest digest;
    private final byte[] hash = new byte[32];
    private final long[] high;
    private final long[] low;
    private final long[] offsets;
    private final int mask;
    private final int most;
    private int count;

    /// Uses at most this much memory, rounded down to a power of two of slots.
    OffsetMap(int bytes) {
        int slots = Integer.highestOneBit(Math.max(16, bytes / SLOT_BYTES));
        high = new long[slots];
        low = new long[slots];
        offsets = new long[slots];
        Arrays.fill(offsets, FREE);
        mask = slots - 1;
        most = slots / 4 * 3;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    /// False when there is no room for another key.
    boolean put(ByteBuffer key, long offset) {
        int slot = slotOf(key);
        if (offsets[slot] == FREE) {
            if (count == most) {
                return false;
            }
            count++;
        }
        offsets[slot] = offset;
        return true;
    }

    /// The last offset of the key, or -1.
    long find(ByteBuffer key) {
        return offsets[slotOf(key)];
    }

    int count() {
        return count;
    }

    private int slotOf(ByteBuffer key) {
        digest.update(key.duplicate());
        try {
            digest.digest(hash, 0, hash.length);
        } catch (java.security.DigestException e) {
            throw new AssertionError("the buffer is large enough", e);
        }
        ByteBuffer words = ByteBuffer.wrap(hash);
        long first = words.getLong();
        long second = words.getLong();
        int slot = (int) first & mask;
        for (int step = 0; step <= mask; step++) {
            if (offsets[slot] == FREE || (high[slot] == first && low[slot] == second)) {
                high[slot] = first;
                low[slot] = second;
                return slot;
            }
            slot = (slot + 1) & mask;
        }
        throw new Invariant.Violation("the offset map has no free slot");
    }
}
