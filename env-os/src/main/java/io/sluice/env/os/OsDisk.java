package io.sluice.env.os;

import io.sluice.env.Disk;
import io.sluice.env.DiskFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A folder of the real file system.
///
/// Thread-safe: holds no state but the count of open files. Threads that use it must never be interrupted (see the package).
public final class OsDisk implements Disk {
    private final Path root;
    private final DiskFailure failure;
    private final AtomicInteger openFiles = new AtomicInteger();
    private volatile @Nullable FileStore store;

    /// Creates the folder when it is absent.
    public OsDisk(Path root) {
        this.root = root.toAbsolutePath().normalize();
        this.failure = new DiskFailure(this.root);
        createDirectory("");
    }

    public Path root() {
        return root;
    }

    /// How many files are open at this moment, for metrics and for tests that look for leaks.
    public int openFiles() {
        return openFiles.get();
    }

    @Override
    public DiskFile open(String path) {
        try {
            return opened(
                    path,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.CREATE);
        } catch (IOException e) {
            throw failure.of("open", path, e);
        }
    }

    @Override
    public DiskFile openForReading(String path) {
        try {
            return opened(path, StandardOpenOption.READ);
        } catch (IOException e) {
            throw failure.of("open", path, e);
        }
    }

    private OsDiskFile opened(String path, StandardOpenOption... options) throws IOException {
        Path location = locate(path);
        return new OsDiskFile(
                path, location, FileChannel.open(location, options), failure, openFiles);
    }

    @Override
    public List<String> list(String directory) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(locate(directory))) {
            for (Path entry : entries) {
                names.add(String.valueOf(entry.getFileName()));
            }
        } catch (NoSuchFileException | NotDirectoryException _) {
            return List.of();
        } catch (IOException e) {
            throw failure.of("list", directory, e);
        }
        Collections.sort(names);
        return names;
    }

    @Override
    public boolean exists(String path) {
        return Files.exists(locate(path), LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public void createDirectory(String directory) {
        try {
            Files.createDirectories(locate(directory));
        } catch (IOException e) {
            throw failure.of("create the directory", directory, e);
        }
    }

    @Override
    public void rename(String from, String to) {
        try {
            Files.move(locate(from), locate(to), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw failure.of("rename to " + to + " the path", from, e);
        }
    }

    @Override
    public void delete(String path) {
        try {
            deleteTree(locate(path));
        } catch (IOException e) {
            throw failure.of("delete", path, e);
        }
    }

    private static void deleteTree(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
                for (Path entry : entries) {
                    deleteTree(entry);
                }
            }
        }
        Files.deleteIfExists(path);
    }

    /// `fsync` of the directory, by a channel opened on it. Does nothing where a directory cannot be opened (Windows).
    @Override
    public void syncDirectory(String directory) {
        if (root.getFileSystem().getSeparator().equals("\\")) {
            return;
        }
        try (FileChannel channel = FileChannel.open(locate(directory), StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            throw failure.of("make durable the names in", directory, e);
        }
    }

    @Override
    public long usableBytes() {
        try {
            return store().getUsableSpace();
        } catch (IOException e) {
            throw failure.of("find the room left for", "", e);
        }
    }

    @Override
    public long totalBytes() {
        try {
            return store().getTotalSpace();
        } catch (IOException e) {
            throw failure.of("find the size of the disk for", "", e);
        }
    }

    /// To find it takes twenty system calls, and a log asks for room whenever it grows.
    private FileStore store() throws IOException {
        FileStore known = store;
        if (known == null) {
            known = Files.getFileStore(root);
            store = known;
        }
        return known;
    }

    private Path locate(String path) {
        Path location = root.resolve(path).normalize();
        if (!location.startsWith(root)) {
            throw new IllegalArgumentException("a path that leaves " + root + ": " + path);
        }
        return location;
    }

    @Override
    public String toString() {
        return "OsDisk[" + root + "]";
    }
}
