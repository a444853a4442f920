package io.sluice.env.os;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/// Keeps a second process out of a data directory: a lock on the file `lock` in it, with the holder's process id inside.
///
/// The operating system gives the lock back when the holder dies, however it dies; the file stays and means nothing by itself.
/// Owned by the data directory.
final class DirectoryLock implements AutoCloseable {
    static final String FILE = "lock";

    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
        this.channel = channel;
    }

    static DirectoryLock take(Path directory) {
        Path file = directory.resolve(FILE);
        try {
            FileChannel channel =
                    FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            boolean taken = false;
            try {
                if (tryLock(channel) == null) {
                    throw UnusableDataDirectory.forNow(
                            "The data directory "
                                    + directory
                                    + " is in use by the process "
                                    + holder(file)
                                    + ". Stop that one first, or give this one another directory.");
                }
                channel.truncate(0);
                channel.write(
                        ByteBuffer.wrap(
                                (ProcessHandle.current().pid() + "\n")
                                        .getBytes(StandardCharsets.UTF_8)));
                taken = true;
                return new DirectoryLock(channel);
            } finally {
                if (!taken) {
                    channel.close();
                }
            }
        } catch (IOException e) {
            throw UnusableDataDirectory.forNow(
                    "Cannot lock the data directory " + directory + ": " + e + ".");
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException _) {
            return null; // Held by this very process.
        }
    }

    private static String holder(Path file) throws IOException {
        String text = Files.readString(file).strip();
        return text.isEmpty() ? "that has just started" : text;
    }

    /// Closing the channel gives the lock back.
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
