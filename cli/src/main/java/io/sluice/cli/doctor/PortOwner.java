package io.sluice.cli.doctor;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/// Which process listens on a port of this machine, as far as Linux's /proc tells us.
///
/// Stateless.
public final class PortOwner {
    private static final String LISTENING = "0A";

    private PortOwner() {}

    /// Such as `process 4711, java`.
    public static Optional<String> find(int port) {
        try {
            for (String table : new String[] {"/proc/net/tcp", "/proc/net/tcp6"}) {
                Optional<String> inode = inode(Path.of(table), port);
                if (inode.isPresent()) {
                    return process("socket:[" + inode.get() + "]");
                }
            }
        } catch (IOException e) {
            // no /proc, or not ours to read
        }
        return Optional.empty();
    }

    private static Optional<String> inode(Path table, int port) throws IOException {
        if (!Files.exists(table)) {
            return Optional.empty();
        }
        String suffix = ":" + String.format(Locale.ROOT, "%04X", port);
        for (String line : Files.readAllLines(table)) {
            String[] fields = line.trim().split("\\s+");
            if (fields.length > 9 && fields[1].endsWith(suffix) && fields[3].equals(LISTENING)) {
                return Optional.of(fields[9]);
            }
        }
        return Optional.empty();
    }

    private static Optional<String> process(String socket) throws IOException {
        try (DirectoryStream<Path> processes =
                Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                if (holds(process, socket)) {
                    String name = Files.readString(process.resolve("comm")).strip();
                    return Optional.of("process " + process.getFileName() + ", " + name);
                }
            }
        }
        return Optional.empty();
    }

    private static boolean holds(Path process, String socket) {
        try (DirectoryStream<Path> handles = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path handle : handles) {
                if (Files.readSymbolicLink(handle).toString().equals(socket)) {
                    return true;
                }
            }
        } catch (IOException e) {
            // another user's process, or one that has just ended
        }
        return false;
    }
}
