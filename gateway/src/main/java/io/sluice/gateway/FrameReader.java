package io.sluice.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.TooLongFrameException;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Cuts the byte stream into requests: a 4-byte length, then that many bytes. Owned by its connection.
///
/// A frame is a slice of what was received, not a copy. Memory follows the bytes that have really arrived, never the announced length; what
/// is not handed on yet counts with the loop's [PartialRequests]. One read may bring thousands of small requests: while the connection is at its limit, those
/// behind it wait here.
final class FrameReader extends ByteToMessageDecoder {
    private final int frameBytesMax;
    private final PartialRequests.Arrival arrival;
    private final BooleanSupplier isAtLimit;
    private @Nullable ChannelHandlerContext here;

    FrameReader(int frameBytesMax, PartialRequests.Arrival arrival, BooleanSupplier isAtLimit) {
        this.frameBytesMax = frameBytesMax;
        this.arrival = arrival;
        this.isAtLimit = isAtLimit;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        here = context;
    }

    boolean holdsSomething() {
        return actualReadableBytes() > 0;
    }

    /// Hands on what has arrived while the connection was at its limit.
    void goOn() throws Exception {
        ChannelHandlerContext context = here;
        if (context != null && !context.isRemoved()) {
            channelRead(context, Unpooled.EMPTY_BUFFER);
            context.fireChannelReadComplete();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object received) throws Exception {
        super.channelRead(context, received);
        if (!context.isRemoved()) {
            arrival.holds(actualReadableBytes());
        }
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) {
        arrival.end();
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (in.readableBytes() < Integer.BYTES || isAtLimit.getAsBoolean()) {
            return;
        }
        int length = in.getInt(in.readerIndex());
        if (length < 0) {
            in.skipBytes(in.readableBytes());
            throw new CorruptedFrameException(
                    "a frame announces " + length + " bytes; this is not the Kafka protocol");
        }
        if (length > frameBytesMax) {
            // Or it would be looked at, and complained of, again at the end.
            in.skipBytes(in.readableBytes());
            throw new TooLongFrameException(
                    "a request announces "
                            + length
                            + " bytes, gateway.request-bytes-max is "
                            + frameBytesMax);
        }
        if (in.readableBytes() < Integer.BYTES + length) {
            return;
        }
        in.skipBytes(Integer.BYTES);
        out.add(in.readRetainedSlice(length));
    }
}
