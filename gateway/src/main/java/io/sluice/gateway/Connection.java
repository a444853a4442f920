package io.sluice.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.timeout.IdleStateEvent;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.api.Answer;
import io.sluice.kafka.api.Dispatcher;
import io.sluice.kafka.api.Peer;
import io.sluice.kafka.wire.MalformedRequest;
import io.sluice.kafka.wire.WireReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One client's connection: takes frames within its limits, hands them on, sends the answers in order.
///
/// At a limit (requests or bytes in flight, unsent answers) the socket is not read, so that the client feels it and nothing piles up here.
/// A frame is held until its answer is sent: a produce request's batches are slices of it. What it decodes to counts as long. Owned by its event loop.
@SuppressWarnings(
        "FutureReturnValueIgnored") // Failed writes and closes show up as a closed channel.
final class Connection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    private final String listener;
    private final GatewayConfig config;
    private final Dispatcher dispatcher;
    private final Mailbox home;
    private final Channel channel;
    private final ByteBudget budget;
    private final long requestHeapMax;
    private final PartialRequests.Arrival arrival;
    private final FrameReader frames;
    private final GatewayCounters counters;
    private final ScarceWarnings warnings;
    private @Nullable ReplyQueue replies;
    private @Nullable Peer peer;
    private boolean paused;
    private boolean resuming;
    private boolean reading;
    private boolean finishing;

    Connection(
            String listener,
            GatewayConfig config,
            Dispatcher dispatcher,
            Mailbox home,
            Channel channel,
            LoopLimits limits,
            Notices notices) {
        this.listener = listener;
        this.config = config;
        this.dispatcher = dispatcher;
        this.home = home;
        this.channel = channel;
        this.budget = limits.budget();
        this.requestHeapMax = limits.requestHeapMax();
        this.arrival = limits.partial().arrivals(this::resumeBelowLimit, this::closeTooSlow);
        this.frames =
                new FrameReader(config.requestBytesMax(), arrival, () -> paused || budget.isFull());
        this.counters = notices.counters();
        this.warnings = notices.warnings();
    }

    /// Where counts and warnings go. Immutable.
    record Notices(GatewayCounters counters, ScarceWarnings warnings) {}

    /// Cuts what arrives into the requests that this takes, and holds them back at its limits.
    FrameReader frames() {
        return frames;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        InetSocketAddress remote = (InetSocketAddress) context.channel().remoteAddress();
        peer = new Peer(listener, remote.getAddress().getHostAddress(), home);
        replies = new ReplyQueue(new ReplyWriter(context, counters));
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf frame = (ByteBuf) message;
        ReplyQueue queue = replies;
        Peer from = peer;
        if (queue == null || from == null || !channel.isActive()) {
            frame.release(); // What came together with a frame that has ended the connection.
            return;
        }
        reading = true;
        int bytes = frame.readableBytes();
        counters.requests.increment();
        counters.bytesIn.add(bytes);
        budget.take(bytes);
        ReplyQueue.Slot slot = queue.open();
        WireReader in = new WireReader(frame.nioBuffer(), requestHeapMax);
        Reply<Answer> answer;
        try {
            answer = dispatcher.dispatch(in, from);
        } catch (MalformedRequest e) {
            counters.requestsMalformed.increment();
            warnClosing(context, e);
            giveBack(new Held(frame, bytes, 0));
            context.close();
            return;
        } catch (Throwable bug) { // Out of direct memory is an error, and ends one connection only.
            giveBack(new Held(frame, bytes, 0));
            closeAfterBug(channel, bug);
            return;
        }
        Held held = new Held(frame, bytes, in.heapTaken());
        budget.takeHeap(held.heap());
        answer.whenDone(done -> answered(context, slot, done, held));
        pauseAtLimit();
    }

    /// What a request takes until it is answered.
    private record Held(ByteBuf frame, int bytes, long heap) {}

    private void answered(
            ChannelHandlerContext context, ReplyQueue.Slot slot, Reply<Answer> done, Held held) {
        giveBack(held);
        Throwable failure = done.failure();
        if (failure != null) {
            closeAfterBug(channel, failure);
            return;
        }
        try {
            slot.fill(done.value());
        } catch (Throwable bug) {
            closeAfterBug(channel, bug); // It must not reach the partition that has answered.
            return;
        }
        if (!reading) {
            context.flush();
        }
        if (peer != null && peer.isTurnedAway() && !finishing) {
            finish();
            return;
        }
        resumeBelowLimit();
        closeWhenFinished();
    }

    /// Takes nothing more, and closes when what is owed has left. On the loop.
    void finish() {
        finishing = true;
        paused = true;
        channel.config().setAutoRead(false);
        closeWhenFinished();
    }

    private void closeWhenFinished() {
        if (finishing && (replies == null || replies.size() == 0)) {
            // Behind the answers that are written and have not left.
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }

    private static void closeAfterBug(Channel channel, Throwable bug) {
        LOG.error("A request of {} failed; closing its connection", channel.remoteAddress(), bug);
        channel.close();
    }

    private void warnClosing(ChannelHandlerContext context, Throwable cause) {
        warnings.warn(
                "Closing {}: {}",
                context.channel().remoteAddress(),
                String.valueOf(cause.getMessage()));
    }

    private void giveBack(Held held) {
        held.frame().release();
        budget.give(held.bytes(), held.heap());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        reading = false;
        context.flush();
        pauseAtLimit();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        pauseAtLimit();
        resumeBelowLimit();
    }

    private void pauseAtLimit() {
        if (!paused && channel.isActive() && isAtLimit()) {
            paused = true;
            counters.readsPaused.increment();
            channel.config().setAutoRead(false);
            if (budget.isExhausted()) {
                budget.whenRoom(this::resumeBelowLimit);
            }
        }
    }

    private void resumeBelowLimit() {
        if (!paused || finishing) {
            return;
        }
        if (isAtLimit()) {
            if (budget.isExhausted()) {
                budget.whenRoom(this::resumeBelowLimit);
            }
        } else if (!frames.holdsSomething()) {
            paused = false;
            channel.config().setAutoRead(true);
        } else if (!resuming) {
            resuming = true;
            // Not from within an answer: that would nest as deep as there are requests.
            channel.eventLoop().execute(this::takeHeld);
        }
    }

    /// First what is here already, then what the socket has.
    private void takeHeld() {
        resuming = false;
        if (!channel.isActive() || finishing) {
            return;
        }
        if (isAtLimit()) {
            resumeBelowLimit();
            return;
        }
        paused = false;
        try {
            frames.goOn();
        } catch (Exception bug) {
            closeAfterBug(channel, bug);
            return;
        }
        if (!paused) {
            channel.config().setAutoRead(true);
        }
    }

    private boolean isAtLimit() {
        return isBehindWithAnswers() || !channel.isWritable() || arrival.mustWait();
    }

    private boolean isBehindWithAnswers() {
        return (replies != null && replies.size() >= config.requestsInFlightMax())
                || budget.isExhausted();
    }

    /// It keeps others waiting that hold part of a request, too; unless it is us whom it waits for.
    private void closeTooSlow() {
        if (isBehindWithAnswers()) {
            return;
        }
        warnings.warn(
                "Closing {}: its request arrives too slowly while others wait for their turn",
                channel.remoteAddress());
        channel.close();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof IdleStateEvent && (replies == null || replies.size() == 0)) {
            counters.connectionsIdleClosed.increment();
            LOG.debug(
                    "Closing {}: no request for {}",
                    context.channel().remoteAddress(),
                    config.idleTimeout());
            context.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (replies != null) {
            replies.abandon();
        }
        if (peer != null) {
            peer.gone();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof DecoderException) {
            counters.requestsMalformed.increment();
            warnClosing(context, cause);
        } else if (cause instanceof OutOfMemoryError) {
            warnClosing(context, cause);
        } else if (cause instanceof IOException) {
            LOG.debug(
                    "Connection of {} ended: {}",
                    context.channel().remoteAddress(),
                    cause.getMessage());
        } else {
            LOG.error(
                    "Closing {} after an unexpected error",
                    context.channel().remoteAddress(),
                    cause);
        }
        context.close();
    }
}
