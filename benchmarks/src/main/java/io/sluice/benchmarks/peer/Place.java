package io.sluice.benchmarks.peer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/// Where a broker lives: its folder and its two ports on the loopback interface. A restart on the same place is a restart on the same data.
///
/// Immutable.
public record Place(Path folder, int port, int secondPort) {

    /// Below the range from which outgoing connections get theirs: a probe that calls a free port of that range again and again is one day given that port itself.
    private static final int FIRST_PORT = 21_000;

    /// An empty folder with ports that are free now.
    public static Place empty(Path folder) {
        deleteAll(folder);
        try {
            Files.createDirectories(folder);
            int first = freePort(FIRST_PORT);
            return new Place(folder, first, freePort(first + 1));
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot prepare " + folder, failure);
        }
    }

    private static int freePort(int from) throws IOException {
        for (int port = from; ; port++) {
            try (ServerSocket held = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return held.getLocalPort();
            } catch (BindException taken) {
                if (port == from + 1_000) {
                    throw taken;
                }
            }
        }
    }

    public Path data() {
        return folder.resolve("data");
    }

    /// What the broker prints; appended to over restarts, and kept beside the folder when that is emptied, for those who ask why.
    public Path output() {
        return folder.resolveSibling(folder.getFileName() + ".log");
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    public String bootstrap() {
        return "127.0.0.1:" + port;
    }

    /// Gives the disk back. The folder was made by [#empty] and holds nothing else.
    public void delete() {
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
