package io.sluice.simulation;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/// A running digest of everything that happened in a world: two runs of one seed must end with the same value.
///
/// Owned by its world.
public final class TraceHash {
    private long state = 0xcbf29ce484222325L;

    public void add(long value) {
        state = SimEntropy.mix(state ^ value) + Long.rotateLeft(state, 23);
    }

    public void add(String text) {
        add(text.hashCode());
    }

    public void add(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        add(crc.getValue());
    }

    public long value() {
        return state;
    }
}
