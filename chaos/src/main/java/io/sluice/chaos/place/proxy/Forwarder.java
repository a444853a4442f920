package io.sluice.chaos.place.proxy;

import io.sluice.chaos.place.Cuts;
import io.sluice.chaos.place.Port;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The address at which one calls another on one port: takes connections there and leads them on.
///
/// Accepts on a virtual thread of its own. Thread-safe: a monitor over the connections that are open.
final class Forwarder implements AutoCloseable {
    private static final int BACKLOG = 1_024;

    private final int caller;
    private final int callee;
    private final Port purpose;
    private final InetSocketAddress target;
    private final ProxyCuts cuts;
    private final ServerSocketChannel door;
    private final Set<ProxiedConnection> open = new HashSet<>();

    /// Listens at once; throws when the port is taken.
    Forwarder(int caller, int callee, Port purpose, int port, ProxyCuts cuts) throws IOException {
        this.caller = caller;
        this.callee = callee;
        this.purpose = purpose;
        this.target = new InetSocketAddress(Addresses.home(callee), port);
        this.cuts = cuts;
        this.door = ServerSocketChannel.open();
        try {
            door.bind(new InetSocketAddress(Addresses.between(caller, callee), port), BACKLOG);
        } catch (IOException taken) {
            door.close();
            throw taken;
        }
        Thread.ofVirtual().name("chaos-proxy-door").start(this::accept);
    }

    private void accept() {
        while (door.isOpen()) {
            try {
                lead(door.accept());
            } catch (ClosedChannelException over) {
                return;
            } catch (IOException e) {
                throw new UncheckedIOException("The proxy takes no more connections", e);
            }
        }
    }

    private void lead(SocketChannel connected) throws IOException {
        ProxiedConnection connection =
                new ProxiedConnection(
                        connected, Way.on(purpose, caller, callee), cuts, introduction());
        synchronized (this) {
            if (!door.isOpen()) {
                connection.close();
                return;
            }
            open.add(connection);
        }
        Thread.ofVirtual()
                .name("chaos-proxy-there")
                .start(
                        () -> {
                            connection.carry(target);
                            forget(connection);
                        });
    }

    private @Nullable ElectionHello introduction() {
        return purpose == Port.ENSEMBLE_ELECTION && caller != Cuts.CLIENTS
                ? new ElectionHello(Addresses.between(callee, caller).getHostAddress())
                : null;
    }

    private synchronized void forget(ProxiedConnection connection) {
        open.remove(connection);
    }

    @Override
    public synchronized void close() {
        try {
            door.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        open.forEach(ProxiedConnection::close);
        open.clear();
    }
}
