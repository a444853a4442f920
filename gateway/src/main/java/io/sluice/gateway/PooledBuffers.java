package io.sluice.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.kafka.wire.BufferSource;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// Pooled memory outside of the heap for one answer at a time. Owned by its connection.
final class PooledBuffers implements BufferSource {
    /// Holds most answers in one piece.
    private static final int SMALLEST_BYTES = 512;

    private final ByteBufAllocator allocator;
    private final List<ByteBuf> taken = new ArrayList<>(1);

    PooledBuffers(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    @Override
    public ByteBuffer take(int minimumBytes) {
        ByteBuf chunk = allocator.directBuffer(Math.max(minimumBytes, SMALLEST_BYTES));
        taken.add(chunk);
        return chunk.nioBuffer(0, chunk.capacity());
    }

    /// What was taken since the last call; the caller releases it.
    List<ByteBuf> drain() {
        List<ByteBuf> all = List.copyOf(taken);
        taken.clear();
        return all;
    }
}
