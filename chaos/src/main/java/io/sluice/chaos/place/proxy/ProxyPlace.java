package io.sluice.chaos.place.proxy;

import io.sluice.chaos.place.Cuts;
import io.sluice.chaos.place.Place;
import io.sluice.chaos.place.Port;
import io.sluice.chaos.place.PortRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Every broker at an address of its own on the loopback interface, and a proxy between each two of them, and between each and the clients, which cuts. Takes no root, but an interface that has all of 127.0.0.0/8,
/// as Linux's.
///
/// Owned by the campaign's thread.
public final class ProxyPlace implements Place {
    private static final int ATTEMPTS = 1_000;

    private final Path folder;
    private final ProxyCuts cuts = new ProxyCuts();
    private final Map<Integer, Map<Port, Integer>> ports = new TreeMap<>();
    private final List<Forwarder> forwarders = new ArrayList<>();

    /// Listens for all of them, and writes their hosts files into the folder.
    public ProxyPlace(int brokers, Path folder) {
        this.folder = folder;
        boolean made = false;
        try {
            for (int broker = 1; broker <= brokers; broker++) {
                Files.writeString(hostsFile(broker), Addresses.hostsFile(broker, brokers));
                Map<Port, Integer> own = new EnumMap<>(Port.class);
                for (Port purpose : Port.values()) {
                    own.put(purpose, open(broker, purpose, brokers));
                }
                ports.put(broker, own);
            }
            made = true;
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot write hosts files into " + folder, failure);
        } finally {
            if (!made) {
                close();
            }
        }
    }

    /// Why this machine cannot have one; absent when it can.
    public static @Nullable String obstacle() {
        InetSocketAddress there = new InetSocketAddress(Addresses.between(1, 2), 0);
        try (ServerSocketChannel trial = ServerSocketChannel.open()) {
            trial.bind(there);
            return null;
        } catch (IOException refused) {
            return "nobody can listen at %s here, as on Linux (%s)"
                    .formatted(there.getAddress().getHostAddress(), refused.getMessage());
        }
    }

    /// The forwarders of a port that nobody has, neither at the broker's own address nor at one of those by which it is called.
    private int open(int broker, Port purpose, int brokers) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = PortRange.draw();
            List<Forwarder> made = new ArrayList<>();
            try (ServerSocketChannel home = ServerSocketChannel.open()) {
                home.bind(new InetSocketAddress(Addresses.home(broker), port));
                for (int caller = Cuts.CLIENTS; caller <= brokers; caller++) {
                    if (caller != broker) {
                        made.add(new Forwarder(caller, broker, purpose, port, cuts));
                    }
                }
                forwarders.addAll(made);
                return port;
            } catch (IOException taken) {
                made.forEach(Forwarder::close);
            }
        }
        throw new IllegalStateException("No free port for " + Addresses.name(broker));
    }

    @Override
    public String description() {
        return "loopback addresses, cuts by a proxy";
    }

    @Override
    public String host(int broker) {
        return Addresses.name(broker);
    }

    @Override
    public int port(int broker, Port purpose) {
        Integer port = ports.getOrDefault(broker, Map.of()).get(purpose);
        if (port == null) {
            throw new IllegalArgumentException("There is no broker " + broker);
        }
        return port;
    }

    @Override
    public List<String> inside(int broker, List<String> command) {
        return command;
    }

    /// For every JVM that is started there, by whatever script: this one's variable is read by `java` itself.
    @Override
    public Map<String, String> environment(int broker) {
        String variable = "JDK_JAVA_OPTIONS";
        String own =
                "\"-D%s=%s\""
                        .formatted(ClientsNames.HOSTS_FILE, hostsFile(broker).toAbsolutePath());
        String given = System.getenv(variable);
        return Map.of(variable, given == null ? own : given + " " + own);
    }

    @Override
    public Cuts cuts() {
        return cuts;
    }

    /// How many connections and directions wait for healing; for tests.
    int waiting() {
        return cuts.waiting();
    }

    private Path hostsFile(int broker) {
        return folder.resolve("hosts-" + broker);
    }

    /// Everything that goes through it ends.
    @Override
    public void close() {
        cuts.close();
        forwarders.forEach(Forwarder::close);
        forwarders.clear();
    }
}
