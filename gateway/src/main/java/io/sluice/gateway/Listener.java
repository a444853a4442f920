package io.sluice.gateway;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.timeout.IdleStateHandler;
import io.sluice.env.Clock;
import io.sluice.kafka.api.Dispatcher;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Accepts Kafka connections on one address, within the limits, and lays out what each passes through.
///
/// Thread-safe: the counters are shared by all loops, everything else is fixed at construction.
@SuppressWarnings(
        "FutureReturnValueIgnored") // Failed writes and closes show up as a closed channel.
public final class Listener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
    private static final WriteBufferWaterMark WRITE_MARKS =
            new WriteBufferWaterMark(1 << 20, 4 << 20);

    private static final Duration ANSWERS_LIMIT = Duration.ofMillis(200);

    private final String name;
    private final EventLoops loops;
    private final GatewayConfig config;
    private final GatewayCounters counters;
    private final ScarceWarnings warnings;
    private final Admission admission;
    private final Map<EventLoop, LoopLimits> limits = new ConcurrentHashMap<>();
    private final Channel channel;
    private final long heapBytes;

    /// Set once, before the first connection is accepted.
    private volatile @Nullable Dispatcher dispatcher;

    /// Binds at once, and accepts nobody before [#serve]. Throws a sentence for people when the address is taken.
    public Listener(
            String name,
            InetSocketAddress address,
            EventLoops loops,
            GatewayConfig config,
            GatewayCounters counters,
            Clock clock) {
        this(name, address, loops, config, counters, clock, Runtime.getRuntime().maxMemory());
    }

    /// @param heapBytes by which the limits on decoded requests are measured
    Listener(
            String name,
            InetSocketAddress address,
            EventLoops loops,
            GatewayConfig config,
            GatewayCounters counters,
            Clock clock,
            long heapBytes) {
        this.name = name;
        this.loops = loops;
        this.config = config;
        this.heapBytes = heapBytes;
        this.counters = counters;
        this.warnings = new ScarceWarnings(LOG::warn, clock);
        this.admission = new Admission(config, counters, warnings);
        this.channel = bind(address);
    }

    private Channel bind(InetSocketAddress address) {
        ChannelFuture bound =
                new ServerBootstrap()
                        .group(loops.group())
                        .channel(loops.serverChannel())
                        .option(ChannelOption.SO_BACKLOG, 4096)
                        .option(ChannelOption.SO_REUSEADDR, true)
                        .option(ChannelOption.AUTO_READ, false)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childOption(ChannelOption.SO_KEEPALIVE, true)
                        .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                        .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_MARKS)
                        .childOption(ChannelOption.MESSAGE_SIZE_ESTIMATOR, new AnswerSizes())
                        .childHandler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel accepted) {
                                        layOut(accepted);
                                    }
                                })
                        .bind(address)
                        .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IllegalStateException(
                    "Cannot listen on "
                            + address.getHostString()
                            + ":"
                            + address.getPort()
                            + " ("
                            + bound.cause().getMessage()
                            + "). Stop what uses the port, or choose another.",
                    bound.cause());
        }
        return bound.channel();
    }

    /// Opens the door.
    public void serve(Dispatcher to) {
        dispatcher = to;
        channel.config().setAutoRead(true);
    }

    /// What a connection's bytes pass through, in order.
    private void layOut(Channel accepted) {
        Dispatcher to = dispatcher;
        if (to == null || !admission.admit(accepted)) {
            accepted.close();
            return;
        }
        LoopMailbox home = loops.mailboxOf(accepted.eventLoop());
        LoopLimits shared =
                limits.computeIfAbsent(
                        accepted.eventLoop(),
                        _ -> LoopLimits.of(config, loops.mailboxes().size(), home, heapBytes));
        Connection connection =
                new Connection(
                        name,
                        config,
                        to,
                        home,
                        accepted,
                        shared,
                        new Connection.Notices(counters, warnings));
        accepted.pipeline()
                .addLast(
                        new IdleStateHandler(
                                config.idleTimeout().toMillis(), 0, 0, TimeUnit.MILLISECONDS))
                .addLast(connection.frames())
                .addLast(connection);
        LOG.debug("accepted {}", accepted.remoteAddress());
    }

    /// The port really bound, when 0 was asked for.
    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /// Accepts and reads nothing more. What is asked already is answered if it takes no longer than a moment: whoever waits for an answer and sees the connection end must ask again, and does not know whether it was done.
    @Override
    public void close() {
        close(ANSWERS_LIMIT);
    }

    void close(Duration answersLimit) {
        channel.close().awaitUninterruptibly();
        admission.closeAll(answersLimit);
    }
}
