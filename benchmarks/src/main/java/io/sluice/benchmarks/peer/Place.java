package io.sluice.benchmarks.peer;

import java.io.IOException;
import java.io.UncheckedIOException;
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

    /// An empty folder with ports that are free now.
    public static Place empty(Path folder) {
        deleteAll(folder);
        try {
            Files.createDirectories(folder);
            try (ServerSocket first = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                    ServerSocket second =
                            new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                return new Place(folder, first.getLocalPort(), second.getLocalPort());
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot prepare " + folder, failure);
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
