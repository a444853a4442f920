package io.sluice.gateway;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.sluice.env.Mailbox;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// The threads of the broker: each serves its connections and owns its share of the partitions.
///
/// Epoll where the platform has it, plain NIO elsewhere. Thread-safe.
public final class EventLoops implements AutoCloseable {
    private final EventLoopGroup group;
    private final List<LoopMailbox> mailboxes;
    private final boolean epoll;

    /// @param onBug told of everything that a posted task throws; the loop itself goes on
    public EventLoops(int count, Consumer<Throwable> onBug) {
        epoll = Epoll.isAvailable();
        IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        group =
                new MultiThreadIoEventLoopGroup(
                        count, new DefaultThreadFactory("sluice-shard"), io);
        mailboxes = new ArrayList<>(count);
        for (EventExecutor executor : group) {
            mailboxes.add(new LoopMailbox((EventLoop) executor, onBug));
        }
    }

    /// One for each loop, in a fixed order.
    public List<? extends Mailbox> mailboxes() {
        return mailboxes;
    }

    public String transport() {
        return epoll ? "epoll" : "nio";
    }

    EventLoopGroup group() {
        return group;
    }

    Class<? extends ServerChannel> serverChannel() {
        return epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    Class<? extends Channel> clientChannel() {
        return epoll ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    LoopMailbox mailboxOf(EventLoop loop) {
        for (LoopMailbox mailbox : mailboxes) {
            if (mailbox.loop().equals(loop)) {
                return mailbox;
            }
        }
        throw new IllegalArgumentException("not one of our loops: " + loop);
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
