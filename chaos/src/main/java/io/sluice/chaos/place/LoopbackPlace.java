package io.sluice.chaos.place;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Every broker on the loopback interface, each with ports of its own that stay the same over restarts. Works everywhere; nothing can be cut.
///
/// Owned by the campaign's thread.
public final class LoopbackPlace implements Place {
    private static final String HOST = "127.0.0.1";

    private final Map<Integer, Map<Port, Integer>> ports = new TreeMap<>();

    @Override
    public String description() {
        return "loopback, without cuts";
    }

    @Override
    public String host(int broker) {
        return HOST;
    }

    @Override
    public int port(int broker, Port purpose) {
        return ports.computeIfAbsent(broker, _ -> new EnumMap<>(Port.class))
                .computeIfAbsent(purpose, _ -> freePort());
    }

    private static int freePort() {
        for (int attempt = 0; attempt < 1_000; attempt++) {
            int port = PortRange.draw();
            try (ServerSocket held = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return held.getLocalPort();
            } catch (IOException taken) {
                // the next one then
            }
        }
        throw new IllegalStateException("No free port on " + HOST);
    }

    @Override
    public List<String> inside(int broker, List<String> command) {
        return command;
    }

    @Override
    public @Nullable Cuts cuts() {
        return null;
    }

    @Override
    public void close() {
        // Ports are nobody's once the brokers have ended.
    }
}
