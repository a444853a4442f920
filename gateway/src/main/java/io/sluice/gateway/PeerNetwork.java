package io.sluice.gateway;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.util.NetUtil;
import io.sluice.env.Mailbox;
import io.sluice.env.Network;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;

/// Connections to other brokers, on the same event loops as everything else: a shard talks to its peers without changing threads.
///
/// Names are looked up on a thread of their own, since a slow name server must not hold up a shard. Thread-safe.
@SuppressWarnings("FutureReturnValueIgnored") // Failed connects are told to the listener.
public final class PeerNetwork implements Network {
    /// What the kernel says when nobody listens, as Netty puts it: the text behind it depends on the language.
    private static final String REFUSED_BY_NUMBER = "error(-111)";

    private static final String REFUSED_BY_NAME = "Connection refused";

    private final EventLoops loops;
    private final int frameBytesMax;
    private final Duration connectTimeout;

    /// @param frameBytesMax a peer that announces a larger frame is not one of ours: the connection is closed
    public PeerNetwork(EventLoops loops, int frameBytesMax, Duration connectTimeout) {
        this.loops = loops;
        this.frameBytesMax = frameBytesMax;
        this.connectTimeout = connectTimeout;
    }

    @Override
    public Link connect(String host, int port, Mailbox home, Listener listener) {
        EventLoop loop = loopOf(home);
        PeerLink link = new PeerLink(loop, home, listener, frameBytesMax);
        byte[] literal = NetUtil.createByteArrayFromIpAddressString(host);
        if (literal != null) {
            begin(link, loop, resolved(literal, port));
        } else {
            Thread.ofVirtual()
                    .name("sluice-lookup")
                    .start(() -> lookUpAndBegin(link, loop, host, port));
        }
        return link;
    }

    private EventLoop loopOf(Mailbox home) {
        return home instanceof LoopMailbox ours ? ours.loop() : loops.group().next();
    }

    private void lookUpAndBegin(PeerLink link, EventLoop loop, String host, int port) {
        try {
            begin(link, loop, new InetSocketAddress(InetAddress.getByName(host), port));
        } catch (UnknownHostException e) {
            link.failed(false, "the host name '" + host + "' cannot be looked up");
        }
    }

    private static InetSocketAddress resolved(byte[] address, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of 4 or 16 bytes was refused", e);
        }
    }

    private void begin(PeerLink link, EventLoop loop, InetSocketAddress address) {
        new Bootstrap()
                .group(loop)
                .channel(loops.clientChannel())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(
                        ChannelOption.CONNECT_TIMEOUT_MILLIS,
                        Math.toIntExact(connectTimeout.toMillis()))
                .handler(link.layOut())
                .connect(address)
                .addListener(
                        done -> {
                            Throwable cause = done.cause();
                            if (cause != null) {
                                link.failed(isRefused(cause), String.valueOf(cause.getMessage()));
                            }
                        });
    }

    private static boolean isRefused(Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        return cause instanceof ConnectException
                && (message.contains(REFUSED_BY_NUMBER) || message.contains(REFUSED_BY_NAME));
    }
}
