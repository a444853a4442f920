package io.sluice.kafka.wire;

import java.nio.ByteBuffer;

/// Where the values of tagged fields are written until their size is known; one buffer, used over and over.
///
/// Owned by its [WireWriter].
final class TaggedFieldSpace implements BufferSource {
    private final WireWriter writer = new WireWriter(this);
    private ByteBuffer buffer = ByteBuffer.allocate(256);
    private boolean lent;

    WireWriter begin() {
        writer.clear();
        lent = false;
        return writer;
    }

    @Override
    public ByteBuffer take(int minimumBytes) {
        if (!lent && buffer.capacity() >= minimumBytes) {
            lent = true;
            return buffer.clear();
        }
        // The value goes on in a second buffer; the next one will find room enough in this larger
        // one.
        lent = true;
        buffer = ByteBuffer.allocate(Math.max(minimumBytes, 2 * buffer.capacity()));
        return buffer;
    }
}
