package io.sluice.env.os;

import io.sluice.env.Clock;
import io.sluice.env.DiskException;
import io.sluice.env.Entropy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The folder in which a broker keeps everything, locked for this process.
///
/// ```
/// data/
///   lock      held by the running process, its id inside
///   format    version, cluster and node: see DataFormat
///   meta/     what the cluster has decided: see LocalCoordination
///   log/      one folder per partition, and whose they are: see LogMark
/// ```
/// Owned by the broker, which opens it first and closes it last.
public final class DataDirectory implements AutoCloseable {
    /// Where partitions keep their folders.
    public static final String LOG = "log";

    /// Where the metadata store keeps its files.
    public static final String META = "meta";

    private final OsDisk disk;
    private final DirectoryLock lock;
    private DataFormat format;
    private final boolean ephemeral;

    private DataDirectory(OsDisk disk, DirectoryLock lock, DataFormat format, boolean ephemeral) {
        this.disk = disk;
        this.lock = lock;
        this.format = format;
        this.ephemeral = ephemeral;
    }

    /// Opens the directory, creating it when it is absent or empty. Throws [UnusableDataDirectory] with a sentence for people when
    /// another process holds it, when it is of a newer version or another node's, or when it cannot be written.
    public static DataDirectory open(Path path, int nodeId, Entropy entropy, Clock clock) {
        return open(path, nodeId, entropy, clock, false);
    }

    /// A new directory among the system's temporary files, deleted with all in it by [#close].
    public static DataDirectory ephemeral(int nodeId, Entropy entropy, Clock clock) {
        try {
            Path path = Files.createTempDirectory("sluice-");
            return open(path, nodeId, entropy, clock, true);
        } catch (IOException e) {
            throw UnusableDataDirectory.forNow("Cannot create a temporary directory: " + e + ".");
        }
    }

    private static DataDirectory open(
            Path path, int nodeId, Entropy entropy, Clock clock, boolean ephemeral) {
        OsDisk disk = diskAt(path);
        DirectoryLock lock = DirectoryLock.take(disk.root());
        boolean opened = false;
        try {
            DataFormat format = formatOf(disk, nodeId, entropy, clock);
            disk.createDirectory(META);
            DataFormat marked = LogMark.check(disk, format, disk.root().toString());
            if (!marked.equals(format)) {
                marked.write(disk);
            }
            disk.syncDirectory("");
            opened = true;
            return new DataDirectory(disk, lock, marked, ephemeral);
        } catch (DiskException e) {
            throw new UnusableDataDirectory(e);
        } finally {
            if (!opened) {
                lock.close();
            }
        }
    }

    private static OsDisk diskAt(Path path) {
        Path root = path.toAbsolutePath().normalize();
        Path existing = root;
        while (existing.getParent() != null && !Files.exists(existing)) {
            existing = existing.getParent();
        }
        try {
            OsDisk disk = new OsDisk(root);
            makeNamesDurable(existing, root);
            return disk;
        } catch (DiskException e) {
            throw new UnusableDataDirectory(e);
        }
    }

    /// A power loss must not take the new directory's own name, with all that will be fsynced in it.
    private static void makeNamesDurable(Path existing, Path root) {
        for (Path created = root; !created.equals(existing); ) {
            Path parent = created.getParent();
            if (parent == null) {
                return;
            }
            new OsDisk(parent).syncDirectory("");
            created = parent;
        }
    }

    private static DataFormat formatOf(OsDisk disk, int nodeId, Entropy entropy, Clock clock) {
        if (!disk.exists(DataFormat.FILE)) {
            refuseForeignContent(disk);
            DataFormat fresh = DataFormat.fresh(nodeId, entropy, clock);
            fresh.write(disk);
            return fresh;
        }
        DataFormat format = DataFormat.read(disk, disk.root().toString());
        if (format.nodeId() != nodeId) {
            throw new UnusableDataDirectory(
                    "The data directory "
                            + disk.root()
                            + " belongs to node "
                            + format.nodeId()
                            + ", this is node "
                            + nodeId
                            + ". Give it its own directory, or set its node id back.");
        }
        return format;
    }

    /// A mistyped path must not scatter our files among somebody else's; data without its `format` file is not taken for new.
    private static void refuseForeignContent(OsDisk disk) {
        for (String name : disk.list("")) {
            boolean ours =
                    name.equals(DirectoryLock.FILE) || name.startsWith(DataFormat.FILE + ".");
            if (!ours) {
                throw new UnusableDataDirectory(
                        "The directory "
                                + disk.root()
                                + " is not empty and has no file "
                                + DataFormat.FILE
                                + ": it is not a data directory, or has lost that file. Give an empty"
                                + " one, or restore the file from a backup.");
            }
        }
    }

    public Path path() {
        return disk.root();
    }

    public OsDisk disk() {
        return disk;
    }

    public DataFormat format() {
        return format;
    }

    /// The broker was never part of a cluster, and no partition was stored here: it may join any cluster. What a start notes that does not get that far takes nothing of that away. An earlier version has not written down
    /// that its broker has joined; what it has stored says so.
    public boolean isUnused() {
        return !format.joined() && disk.list(META).isEmpty() && !hasPartitions();
    }

    /// Everything else in there is a file.
    private boolean hasPartitions() {
        Path log = disk.root().resolve(LOG);
        return disk.list(LOG).stream().anyMatch(name -> Files.isDirectory(log.resolve(name)));
    }

    /// The broker has become part of a cluster, be it another than the one that the directory was made for. Durable when this returns.
    public void adopt(String clusterId) {
        DataFormat adopted = format.joinedTo(clusterId);
        if (!adopted.equals(format)) {
            adopted.write(disk);
            format = adopted;
        }
    }

    public boolean isEphemeral() {
        return ephemeral;
    }

    /// Lets go of the directory. Everything that uses its disk must have stopped.
    @Override
    public void close() {
        if (ephemeral) {
            disk.delete("");
        }
        lock.close();
    }
}
