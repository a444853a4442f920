package io.sluice.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultFileRegion;
import io.sluice.env.FileSlice;
import io.sluice.env.os.OsDiskFile;
import io.sluice.kafka.api.Answer;
import io.sluice.kafka.wire.WirePart;
import io.sluice.kafka.wire.WireWriter;
import io.sluice.record.Invariant;
import io.sluice.record.Records;
import java.nio.ByteBuffer;
import java.util.List;

/// Puts an answer on the socket: buffers as they are, file ranges by `sendfile`. Owned by its connection.
@SuppressWarnings(
        "FutureReturnValueIgnored") // Failed writes and closes show up as a closed channel.
final class ReplyWriter {
    /// Below this a read into a buffer is cheaper than one more system call for `sendfile`.
    private static final int COPY_BELOW_BYTES = 16 << 10;

    private final ChannelHandlerContext context;
    private final GatewayCounters counters;
    private final PooledBuffers buffers;
    private final WireWriter out;

    ReplyWriter(ChannelHandlerContext context, GatewayCounters counters) {
        this.context = context;
        this.counters = counters;
        this.buffers = new PooledBuffers(context.alloc());
        this.out = new WireWriter(buffers);
    }

    /// Writes without flushing. What it throws leaves the connection without this answer, so that it must be closed.
    void write(Answer answer) {
        if (answer.isHangUp()) {
            context.close();
            return;
        }
        if (answer.isSilent()) {
            return;
        }
        boolean encoded = false;
        try {
            answer.encode(out);
            encoded = true;
        } finally {
            if (!encoded) {
                out.clear();
                buffers.drain().forEach(ByteBuf::release);
                answer.release();
            }
        }
        List<WirePart> parts = out.parts();
        counters.bytesOut.add(out.sizeInBytes());
        List<ByteBuf> chunks = buffers.drain();
        if (parts.size() == 1 && chunks.size() == 1) {
            ByteBuf whole = chunks.getFirst();
            context.write(whole.writerIndex(out.sizeInBytes()), context.voidPromise());
        } else {
            writeParts(parts, chunks);
        }
        out.clear();
    }

    /// The chunks go back to the pool when the last part has left.
    private void writeParts(List<WirePart> parts, List<ByteBuf> chunks) {
        ChannelPromise last = context.newPromise();
        last.addListener(_ -> chunks.forEach(ByteBuf::release));
        int next = 0;
        try {
            while (next < parts.size()) {
                WirePart part = parts.get(next);
                next++;
                writePart(part, next == parts.size() ? last : context.voidPromise());
            }
        } catch (Throwable unreadable) { // Out of direct memory is an error.
            context.close(); // Before the chunks go: half an answer must not leave.
            last.tryFailure(unreadable);
            for (WirePart unsent : parts.subList(next, parts.size())) {
                if (unsent instanceof WirePart.Stored(Records.Stored stored)) {
                    stored.release();
                }
            }
            out.clear();
            throw unreadable;
        }
    }

    private void writePart(WirePart part, ChannelPromise sent) {
        switch (part) {
            case WirePart.Bytes(ByteBuffer bytes) ->
                    context.write(Unpooled.wrappedBuffer(bytes), sent);
            case WirePart.Stored(Records.Stored stored) -> writeStored((FileSlice) stored, sent);
        }
    }

    private void writeStored(FileSlice slice, ChannelPromise sent) {
        // Copies for a client that does not take them would pile up: what waits, waits in its file.
        boolean copies = slice.sizeInBytes() < COPY_BELOW_BYTES && context.channel().isWritable();
        if (!copies && slice.file() instanceof OsDiskFile file) {
            context.write(new SharedFileRegion(file, slice), sent);
            return;
        }
        context.write(copyOf(slice), sent);
    }

    private ByteBuf copyOf(FileSlice slice) {
        int size = slice.sizeInBytes();
        ByteBuf copy = null;
        boolean whole = false;
        try {
            copy = context.alloc().directBuffer(size);
            whole = slice.file().read(copy.nioBuffer(0, size), slice.position()) == size;
        } finally {
            slice.release();
            if (!whole && copy != null) {
                copy.release();
            }
        }
        Invariant.check(whole, "a file ends before what is to be sent of it");
        return copy.writerIndex(size);
    }

    /// A file range whose file stays open for others when the region is done: only this use of it ends.
    private static final class SharedFileRegion extends DefaultFileRegion {
        private final FileSlice slice;

        SharedFileRegion(OsDiskFile file, FileSlice slice) {
            super(file.channel(), slice.position(), slice.sizeInBytes());
            this.slice = slice;
        }

        @Override
        protected void deallocate() {
            slice.release();
        }
    }
}
