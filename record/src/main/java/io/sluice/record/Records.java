package io.sluice.record;

import java.nio.ByteBuffer;

/// Encoded record batches, wherever their bytes lie: what a producer sent, what a consumer gets.
///
/// The bytes are never decoded on the plain path. A reader of the wire yields [InMemory]; the log answers a
/// read with [Stored], so that the gateway can hand the range to `sendfile` without touching it.
public sealed interface Records {
    Records EMPTY = new InMemory(ByteBuffer.allocate(0));

    int sizeInBytes();

    /// Gives back what the records hold on to (a file handle). Called once, by whoever consumed them.
    void release();

    /// Bytes between position and limit of the buffer; the buffer's position is never moved by readers.
    record InMemory(ByteBuffer buffer) implements Records {
        @Override
        public int sizeInBytes() {
            return buffer.remaining();
        }

        @Override
        public void release() {}
    }

    /// A range of a file behind the disk door.
    non-sealed interface Stored extends Records {}
}
