package io.sluice.gateway;

import io.netty.buffer.ByteBuf;
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
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One client's connection: takes frames within its limits, hands them on, sends the answers in order.
///
/// At a limit (requests or bytes in flight, unsent answers) the socket is not read, so that the client feels it and nothing piles up here.
/// A frame is held until its answer is sent: a produce request's batches are slices of it. Owned by its event loop.
@SuppressWarnings(
        "FutureReturnValueIgnored") // Failed writes and closes show up as a closed channel.
final class Connection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    private final String listener;
    private final GatewayConfig config;
    private final Dispatcher dispatcher;
    private final Mailbox home;
    private final ByteBudget budget;
    private final GatewayCounters counters;
    private final ScarceWarnings warnings;
    private @Nullable ReplyQueue replies;
    private @Nullable Peer peer;
    private boolean paused;
    private boolean reading;

    Connection(
            String listener,
            GatewayConfig config,
            Dispatcher dispatcher,
            Mailbox home,
            ByteBudget budget,
            GatewayCounters counters,
            ScarceWarnings warnings) {
        this.listener = listener;
        this.config = config;
        this.dispatcher = dispatcher;
        this.home = home;
        this.budget = budget;
        this.counters = counters;
        this.warnings = warnings;
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
        if (queue == null || from == null) {
            frame.release();
            return;
        }
        reading = true;
        int bytes = frame.readableBytes();
        counters.requests.increment();
        counters.bytesIn.add(bytes);
        budget.take(bytes);
        ReplyQueue.Slot slot = queue.open();
        Reply<Answer> answer;
        try {
            answer = dispatcher.dispatch(frame.nioBuffer(), from);
        } catch (MalformedRequest e) {
            counters.requestsMalformed.increment();
            warnClosing(context, e);
            giveBack(frame, bytes);
            context.close();
            return;
        } catch (RuntimeException bug) {
            giveBack(frame, bytes);
            throw bug; // Ends in exceptionCaught, and with it the connection.
        }
        answer.whenDone(done -> answered(context, slot, done, frame, bytes));
        pauseAtLimit(context);
    }

    private void answered(
            ChannelHandlerContext context,
            ReplyQueue.Slot slot,
            Reply<Answer> done,
            ByteBuf frame,
            int bytes) {
        giveBack(frame, bytes);
        Throwable failure = done.failure();
        if (failure != null) {
            closeAfter(context, failure);
            return;
        }
        try {
            slot.fill(done.value());
        } catch (RuntimeException unsendable) {
            closeAfter(context, unsendable);
            return;
        }
        if (!reading) {
            context.flush();
        }
        resumeBelowLimit(context);
    }

    private static void closeAfter(ChannelHandlerContext context, Throwable failure) {
        LOG.error(
                "A request of {} failed; closing its connection",
                context.channel().remoteAddress(),
                failure);
        context.close();
    }

    private void warnClosing(ChannelHandlerContext context, Throwable cause) {
        warnings.warn(
                "Closing {}: {}",
                context.channel().remoteAddress(),
                String.valueOf(cause.getMessage()));
    }

    private void giveBack(ByteBuf frame, int bytes) {
        frame.release();
        budget.give(bytes);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        reading = false;
        context.flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        pauseAtLimit(context);
        resumeBelowLimit(context);
    }

    private void pauseAtLimit(ChannelHandlerContext context) {
        if (!paused && isAtLimit(context)) {
            paused = true;
            counters.readsPaused.increment();
            context.channel().config().setAutoRead(false);
            if (budget.isExhausted()) {
                budget.whenRoom(() -> resumeBelowLimit(context));
            }
        }
    }

    private void resumeBelowLimit(ChannelHandlerContext context) {
        if (!paused) {
            return;
        }
        if (!isAtLimit(context)) {
            paused = false;
            context.channel().config().setAutoRead(true);
        } else if (budget.isExhausted()) {
            budget.whenRoom(() -> resumeBelowLimit(context));
        }
    }

    private boolean isAtLimit(ChannelHandlerContext context) {
        return (replies != null && replies.size() >= config.requestsInFlightMax())
                || budget.isExhausted()
                || !context.channel().isWritable();
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
