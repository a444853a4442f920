package io.sluice.benchmarks.peer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// Where a broker lives: its id, its folder and its ports on the loopback interface. A restart on the same place is a restart on the same data.
///
/// Immutable.
public record Place(int id, Path folder, List<Integer> ports) {

    /// Below the range from which outgoing connections get theirs: a probe that calls a free port of that range again and again is one day given that port itself.
    static final int FIRST_PORT = 21_000;

    /// For clients, for the second listener, and three for a metadata store inside.
    private static final int PORTS = 5;

    private static final int SEARCHED_PORTS = 1_000;

    public Place {
        ports = List.copyOf(ports);
    }

    /// An empty folder with ports that are free now, all of them at or behind `firstPort`.
    static Place empty(int id, Path folder, int firstPort) {
        deleteAll(folder);
        try {
            Files.createDirectories(folder);
            List<Integer> ports = new ArrayList<>();
            for (int next = firstPort; ports.size() < PORTS; next = ports.getLast() + 1) {
                ports.add(freePort(next));
            }
            return new Place(id, folder, ports);
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot prepare " + folder, failure);
        }
    }

    private static int freePort(int from) throws IOException {
        for (int port = from; ; port++) {
            try (ServerSocket held = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return held.getLocalPort();
            } catch (BindException taken) {
                if (port == from + SEARCHED_PORTS) {
                    throw taken;
                }
            }
        }
    }

    /// Where clients connect.
    public int port() {
        return ports.get(0);
    }

    /// Kafka's controller listener, Sluice's health and metrics.
    int secondPort() {
        return ports.get(1);
    }

    /// For the member of the metadata store that lives inside a broker: its peers, its elections, its clients.
    List<Integer> storePorts() {
        return ports.subList(2, PORTS);
    }

    public Path data() {
        return folder.resolve("data");
    }

    /// What the broker prints; appended to over restarts, and kept beside the folder when that is emptied, for those who ask why.
    public Path output() {
        return folder.resolveSibling(folder.getFileName() + ".log");
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port());
    }

    String bootstrap() {
        return "127.0.0.1:" + port();
    }

    /// Gives the disk back. The folder was made by [#empty] and holds nothing else.
    void delete() {
        deleteAll(folder);
    }

    private static void deleteAll(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> tree = Files.walk(folder)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot empty " + folder, failure);
        }
    }
}
