package io.sluice.env.os;

import io.sluice.env.Coordination.Node;
import io.sluice.env.Disk;
import io.sluice.env.DiskException;
import io.sluice.env.DiskException.Kind;
import io.sluice.env.DiskFile;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The durable side of the metadata tree: one file, a snapshot followed by what was committed since.
///
/// ```
/// meta/tree-00000000000000000041:   frame 41 twice (the whole tree) | frame 42 twice | frame 43 twice
/// ```
/// Every group of commits is one frame, written at the end as two copies with one call, and forced before the next is begun.
/// - A crash can tear only the last frame. When neither of its copies is sound, it was never answered, and is cut off.
/// - A single damaged place spoils at most one copy; the file is written anew when it is opened.
/// - When both copies of a frame are unsound and a later frame is sound, something durable is lost: the store refuses to open.
///
/// When the commits outgrow the snapshot, a new file is written beside (temporary name, force, rename, sync of the directory) and the old one
/// deleted. The one with the highest number counts. Owned by the store's mailbox.
final class TreeFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TreeFile.class);

    private static final String PREFIX = "tree-";
    private static final String TEMPORARY = "tree.new";

    private final Disk disk;
    private final String directory;
    private final int rollBytes;
    private DiskFile file;
    private long snapshotNumber;
    private int snapshotEnd;
    private long end;
    private long nextNumber;

    private TreeFile(Disk disk, String directory, int rollBytes, DiskFile file) {
        this.disk = disk;
        this.directory = directory;
        this.rollBytes = rollBytes;
        this.file = file;
    }

    /// Opens the newest file and replays it into the tree, or begins with an empty one. Throws [DamagedMetadata].
    ///
    /// @param rollBytes how much may be committed before a new snapshot is worth its while
    static TreeFile open(Disk disk, String directory, int rollBytes, VersionedTree tree) {
        disk.createDirectory(directory);
        disk.syncDirectory(directory.substring(0, Math.max(0, directory.lastIndexOf('/'))));
        String newest = "";
        for (String name : disk.list(directory)) {
            if (name.startsWith(PREFIX)) {
                newest = name;
            }
        }
        if (newest.isEmpty()) {
            return begin(disk, directory, rollBytes, tree.lasting());
        }
        TreeFile opened =
                new TreeFile(disk, directory, rollBytes, disk.open(directory + "/" + newest));
        opened.snapshotNumber = Long.parseLong(newest.substring(PREFIX.length()));
        boolean sound = false;
        try {
            // After a mere process crash the rename may be visible without being durable yet.
            disk.syncDirectory(directory);
            opened.replay(tree);
            opened.deleteAllBut(name(opened.snapshotNumber));
            sound = true;
            return opened;
        } finally {
            if (!sound) {
                opened.file.close();
            }
        }
    }

    private static TreeFile begin(
            Disk disk, String directory, int rollBytes, SortedMap<String, Node> tree) {
        DiskFile file = writeSnapshot(disk, directory, 0, tree);
        TreeFile begun = new TreeFile(disk, directory, rollBytes, file);
        begun.end = file.size();
        begun.snapshotEnd = (int) begun.end;
        begun.nextNumber = 1;
        return begun;
    }

    private static DiskFile writeSnapshot(
            Disk disk, String directory, long number, SortedMap<String, Node> tree) {
        Map<String, @Nullable Node> states = new LinkedHashMap<>(tree);
        String temporary = directory + "/" + TEMPORARY;
        disk.delete(temporary);
        DiskFile file = disk.open(temporary);
        boolean written = false;
        try {
            file.write(new TreeFrame(number, states).encodeTwice(), 0);
            file.force();
            publish(disk, directory, number);
            written = true;
            return file;
        } finally {
            if (!written) {
                file.close();
            }
        }
    }

    /// Once the rename has been tried, either file may be the one that a restart finds: no failure from here on is harmless.
    private static void publish(Disk disk, String directory, long number) {
        try {
            disk.rename(directory + "/" + TEMPORARY, directory + "/" + name(number));
            disk.syncDirectory(directory);
        } catch (DiskException e) {
            throw new DiskException(Kind.IO, e.path(), String.valueOf(e.getMessage()), e);
        }
    }

    private static String name(long number) {
        return PREFIX + String.format(Locale.ROOT, "%020d", number);
    }

    private void replay(VersionedTree tree) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(file.size()));
        file.read(bytes, 0);
        TreeScan scan = new TreeScan(bytes.flip(), snapshotNumber);
        TreeFrame snapshot = scan.next();
        if (snapshot == null) {
            throw new DamagedMetadata(file.path(), 0, "neither copy of its snapshot is readable");
        }
        apply(snapshot, tree);
        snapshotEnd = scan.position();
        TreeFrame last = snapshot;
        int lastPosition = 0;
        int position = snapshotEnd;
        for (TreeFrame frame; (frame = scan.next()) != null; ) {
            apply(frame, tree);
            last = frame;
            lastPosition = position;
            position = scan.position();
        }
        if (scan.hasLaterFrame()) {
            throw new DamagedMetadata(
                    file.path(),
                    position,
                    "neither copy of frame "
                            + scan.nextNumber()
                            + " is readable, but later ones are");
        }
        end = position;
        nextNumber = scan.nextNumber();
        cutTornTail();
        if (scan.isSpoiled()) {
            LOG.warn("{}: a copy of a frame is damaged; writing all of it anew", file.path());
            roll(tree.lasting());
            return;
        }
        if (scan.hasFirstFormat()) {
            roll(tree.lasting());
            return;
        }
        // It may have been read from memory alone, because its force never came, or failed, which
        // leaves pages that look clean and are not on disk. Only when it is written again does the
        // force count. The same holds for what was cut, perhaps by an earlier start.
        file.write(last.encodeTwice(), lastPosition);
        cutAgain();
        file.force();
    }

    /// There is something to cut now, so that the next force makes it durable that nothing lies behind the end.
    private void cutAgain() {
        try {
            file.write(ByteBuffer.allocate(1), end);
        } catch (DiskException e) {
            if (e.kind() != Kind.FULL) {
                throw e;
            }
        }
        file.truncate(end);
    }

    private static void apply(TreeFrame frame, VersionedTree tree) {
        frame.states().forEach(tree::put);
    }

    private void cutTornTail() {
        long cut = file.size() - end;
        if (cut > 0) {
            LOG.warn(
                    "{}: cut {} bytes of an unfinished commit at {}, as after a crash",
                    file.path(),
                    cut,
                    end);
            file.truncate(end);
        }
    }

    private void deleteAllBut(String newest) {
        for (String name : disk.list(directory)) {
            if (!name.equals(newest)) {
                deleteIfPossible(directory + "/" + name);
            }
        }
    }

    /// What stays is deleted by the next attempt, and read by nobody.
    private void deleteIfPossible(String path) {
        try {
            disk.delete(path);
        } catch (DiskException e) {
            LOG.warn("Left behind: {}", e.getMessage());
        }
    }

    /// Makes the states durable as one frame. After a [DiskException] of kind FULL the file is as before; after any other nothing more
    /// may be appended.
    void append(Map<String, @Nullable Node> states) {
        ByteBuffer frame = new TreeFrame(nextNumber, states).encodeTwice();
        int size = frame.remaining();
        try {
            file.write(frame, end);
        } catch (DiskException e) {
            // A whole first copy may be among what fitted; after a crash it must not count.
            file.truncate(end);
            file.force();
            throw e;
        }
        file.force();
        end += size;
        nextNumber++;
    }

    /// Of the frame that is appended next.
    long nextNumber() {
        return nextNumber;
    }

    boolean wantsSnapshot() {
        return end - snapshotEnd > Math.max(rollBytes, 2L * snapshotEnd);
    }

    /// Goes over to a new file that begins with this tree, which must be what all appended frames amount to.
    void roll(SortedMap<String, Node> tree) {
        long number = nextNumber - 1;
        DiskFile next;
        try {
            next = writeSnapshot(disk, directory, number, tree);
        } catch (DiskException e) {
            deleteIfPossible(directory + "/" + TEMPORARY);
            throw e;
        }
        file.close();
        file = next;
        snapshotNumber = number;
        end = next.size();
        snapshotEnd = (int) end;
        deleteAllBut(name(number));
    }

    @Override
    public void close() {
        file.close();
    }
}
