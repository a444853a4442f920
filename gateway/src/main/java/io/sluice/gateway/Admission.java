package io.sluice.gateway;

import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// Who may come in: a bound on all connections and on those from one address. Thread-safe: counters are atomic.
final class Admission {
    private final GatewayConfig config;
    private final GatewayCounters counters;
    private final ScarceWarnings warnings;
    private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final AtomicInteger total = new AtomicInteger();
    private final Map<InetAddress, Integer> byAddress = new ConcurrentHashMap<>();

    Admission(GatewayConfig config, GatewayCounters counters, ScarceWarnings warnings) {
        this.config = config;
        this.counters = counters;
        this.warnings = warnings;
    }

    boolean admit(Channel accepted) {
        if (!(accepted.remoteAddress() instanceof InetSocketAddress remote)) {
            return false; // Gone before we could look at it.
        }
        InetAddress address = remote.getAddress();
        int all = total.incrementAndGet();
        int here = byAddress.merge(address, 1, Integer::sum);
        if (all > config.connectionsMax() || here > config.connectionsPerAddressMax()) {
            leave(address);
            counters.connectionsRefused.increment();
            warnings.warn(
                    "Refused a connection from {}: {} are open in all, {} from this address; see"
                            + " gateway.connections-max and gateway.connections-per-address-max",
                    address,
                    all - 1,
                    here - 1);
            return false;
        }
        counters.connectionsOpen.increment();
        open.add(accepted);
        accepted.closeFuture()
                .addListener(
                        _ -> {
                            leave(address);
                            counters.connectionsOpen.decrement();
                        });
        return true;
    }

    /// Lets the answers leave that are owed, for so long at most.
    void closeAll(Duration patience) {
        for (Channel one : open) {
            one.eventLoop().execute(() -> finish(one));
        }
        open.newCloseFuture().awaitUninterruptibly(patience.toMillis());
        open.close().awaitUninterruptibly();
    }

    private static void finish(Channel one) {
        Connection connection = one.pipeline().get(Connection.class);
        if (connection != null) {
            connection.finish();
        }
    }

    private void leave(InetAddress address) {
        total.decrementAndGet();
        byAddress.computeIfPresent(address, (_, count) -> count == 1 ? null : count - 1);
    }
}
