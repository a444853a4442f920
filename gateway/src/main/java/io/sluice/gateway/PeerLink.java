package io.sluice.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.sluice.env.Mailbox;
import io.sluice.env.Network;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// One connection to another broker: frames out, frames in, and once the news that it is over.
///
/// ```
///   connecting ──▶ open ──▶ closed        what is sent while connecting waits here
///        └──────────────────▶
/// ```
/// Owned by its event loop; [#send] and [#close] come from the home mailbox and cross over.
@SuppressWarnings("FutureReturnValueIgnored") // Failed writes show up as a closed channel.
final class PeerLink implements Network.Link {
    private final EventLoop loop;
    private final Mailbox home;
    private final Network.Listener listener;
    private final int frameBytesMax;
    private final ArrayDeque<ByteBuffer> early = new ArrayDeque<>();
    private @Nullable Channel channel;
    private boolean open;
    private boolean over;
    private String why = "the other side closed the connection";

    PeerLink(EventLoop loop, Mailbox home, Network.Listener listener, int frameBytesMax) {
        this.loop = loop;
        this.home = home;
        this.listener = listener;
        this.frameBytesMax = frameBytesMax;
    }

    @Override
    public void send(ByteBuffer frame) {
        if (loop.inEventLoop()) {
            sendHere(frame);
        } else {
            loop.execute(() -> sendHere(frame));
        }
    }

    private void sendHere(ByteBuffer frame) {
        Channel current = channel;
        if (over) {
            return;
        }
        if (current == null || !open) {
            early.add(frame);
        } else {
            current.writeAndFlush(Unpooled.wrappedBuffer(frame));
        }
    }

    @Override
    public void close() {
        if (loop.inEventLoop()) {
            end(false, "closed from here");
        } else {
            loop.execute(() -> end(false, "closed from here"));
        }
    }

    /// The connection never came to be. From any thread.
    void failed(boolean refused, String sentence) {
        if (loop.inEventLoop()) {
            end(refused, sentence);
        } else {
            loop.execute(() -> end(refused, sentence));
        }
    }

    private void end(boolean refused, String sentence) {
        if (over) {
            return;
        }
        over = true;
        early.clear();
        if (channel != null) {
            channel.close();
        }
        home.run(() -> listener.closed(refused, sentence));
    }

    /// Everything that the channel passes on.
    ChannelInboundHandlerAdapter layOut() {
        return new Frames();
    }

    /// Puts frames together again, each in a buffer of its own that nobody else will touch.
    private final class Frames extends ChannelInboundHandlerAdapter {
        private final ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
        private @Nullable ByteBuffer frame;

        @Override
        public void channelRegistered(ChannelHandlerContext context) {
            channel = context.channel();
            if (over) {
                context.close(); // It was closed before it had a channel.
            }
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            open = true;
            for (ByteBuffer next = early.poll(); next != null; next = early.poll()) {
                context.write(Unpooled.wrappedBuffer(next));
            }
            context.flush();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf received = (ByteBuf) message;
            try {
                while (received.isReadable() && !over) {
                    take(received);
                }
            } finally {
                received.release();
            }
        }

        private void take(ByteBuf received) {
            ByteBuffer current = frame;
            if (current == null) {
                fill(length, received);
                if (!length.hasRemaining()) {
                    begin(length.flip().getInt());
                    length.clear();
                }
                return;
            }
            fill(current, received);
            finishWhenFull(current);
        }

        private void begin(int bytes) {
            if (bytes < 0 || bytes > frameBytesMax) {
                end(
                        false,
                        "the other side announced a frame of "
                                + bytes
                                + " bytes; at most "
                                + frameBytesMax
                                + " are taken");
                return;
            }
            ByteBuffer fresh = ByteBuffer.allocate(bytes);
            frame = fresh;
            finishWhenFull(fresh);
        }

        private void finishWhenFull(ByteBuffer current) {
            if (!current.hasRemaining()) {
                frame = null;
                ByteBuffer whole = current.flip();
                home.run(() -> listener.received(whole));
            }
        }

        private static void fill(ByteBuffer target, ByteBuf received) {
            int count = Math.min(target.remaining(), received.readableBytes());
            int limit = target.limit();
            target.limit(target.position() + count);
            received.readBytes(target);
            target.limit(limit);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            end(false, why);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            why = String.valueOf(cause.getMessage());
            context.close();
        }
    }
}
