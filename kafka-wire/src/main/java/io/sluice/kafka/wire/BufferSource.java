package io.sluice.kafka.wire;

import java.nio.ByteBuffer;

/// Where a [WireWriter] gets the memory that it writes into.
///
/// The source keeps track of what it handed out: the writer never gives a buffer back, because its bytes are
/// on their way to a socket long after the writer has turned to the next frame.
@FunctionalInterface
public interface BufferSource {
    /// A buffer, on the heap or off it, with at least that many bytes between position and limit.
    ByteBuffer take(int minimumBytes);

    /// Fresh heap buffers of a size that holds most responses in one piece.
    static BufferSource heap() {
        return minimumBytes -> ByteBuffer.allocate(Math.max(minimumBytes, 1024));
    }
}
