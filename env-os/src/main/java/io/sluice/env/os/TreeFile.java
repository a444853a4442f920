package io.sluice.env.os;

import io.sluice.env.Coordination.Node;
import io.sluice.env.Disk;
import io.sluice.env.DiskException;
import io.sluice.env.DiskException.Kind;
import io.sluice.env.DiskFile;
import io.sluice.env.os.VersionedTree.Staged;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The durable side of the metadata tree: one file, a snapshot followed by what was committed since.
///
/// ```
/// meta/tree-00000000000000000041:   frame 41 (the whole tree) | frame 42 | frame 43 | seal 44
/// ```
/// Every group of commits is one frame, written at the end and forced before the next is begun. So at most one frame can be torn by a
/// crash, and it is the last: bytes without a sound frame at the end are cut off, but when a sound frame follows them, something that
/// was durable has been damaged, and the store refuses to open. The seal, an empty frame with the number that comes next,
/// is that following frame for the last commit; it is not forced (but by an orderly close), and the next frame overwrites it.
///
/// When the commits outgrow the snapshot, a new file is written beside (temporary name, force, rename, sync of the directory) and the old one
/// deleted. The one with the highest number counts. Owned by the store's mailbox.
final class TreeFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TreeFile.class);

    private static final String PREFIX = "tree-";
    private static final String TEMPORARY = "tree.new";
    private static final long SMALLEST_ROLL_BYTES = 1 << 20;

    private final Disk disk;
    private final String directory;
    private DiskFile file;
    private long snapshotEnd;
    private long end;
    private long nextNumber;

    private TreeFile(Disk disk, String directory, DiskFile file) {
        this.disk = disk;
        this.directory = directory;
        this.file = file;
    }

    /// Opens the newest file and replays it into the tree, or begins with an empty one. Throws [DamagedMetadata].
    static TreeFile open(Disk disk, String directory, VersionedTree tree) {
        disk.createDirectory(directory);
        disk.syncDirectory(directory.substring(0, Math.max(0, directory.lastIndexOf('/'))));
        String newest = "";
        for (String name : disk.list(directory)) {
            if (name.startsWith(PREFIX)) {
                newest = name;
            }
        }
        if (newest.isEmpty()) {
            return begin(disk, directory, tree.all());
        }
        TreeFile opened = new TreeFile(disk, directory, disk.open(directory + "/" + newest));
        boolean sound = false;
        try {
            // After a mere process crash the rename may be visible without being durable yet.
            disk.syncDirectory(directory);
            opened.replay(tree);
            opened.deleteAllBut(newest);
            sound = true;
            return opened;
        } finally {
            if (!sound) {
                opened.file.close();
            }
        }
    }

    private static TreeFile begin(Disk disk, String directory, SortedMap<String, Node> tree) {
        DiskFile file = writeSnapshot(disk, directory, 0, tree);
        TreeFile begun = new TreeFile(disk, directory, file);
        begun.end = file.size();
        begun.snapshotEnd = begun.end;
        begun.nextNumber = 1;
        return begun;
    }

    private static DiskFile writeSnapshot(
            Disk disk, String directory, long number, SortedMap<String, Node> tree) {
        Map<String, Staged> states = new LinkedHashMap<>();
        tree.forEach((path, node) -> states.put(path, new Staged(node)));
        String temporary = directory + "/" + TEMPORARY;
        disk.delete(temporary);
        DiskFile file = disk.open(temporary);
        boolean written = false;
        try {
            file.write(new TreeFrame(number, states).encode(), 0);
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
        bytes.flip();
        TreeFrame snapshot = TreeFrame.at(bytes, 0);
        if (snapshot == null) {
            throw new DamagedMetadata(file.path(), 0, "its snapshot does not match its checksum");
        }
        apply(snapshot, tree);
        snapshotEnd = TreeFrame.sizeAt(bytes, 0);
        nextNumber = snapshot.number() + 1;
        int position = (int) snapshotEnd;
        int last = 0;
        for (TreeFrame frame; (frame = TreeFrame.at(bytes, position)) != null; ) {
            if (frame.number() != nextNumber) {
                throw new DamagedMetadata(
                        file.path(),
                        position,
                        "frame " + frame.number() + " stands where " + nextNumber + " should");
            }
            if (frame.isSeal()) {
                break;
            }
            apply(frame, tree);
            nextNumber++;
            last = position;
            position += TreeFrame.sizeAt(bytes, position);
        }
        end = position;
        refuseDamage(bytes, position);
        cutTornTail();
        makeDurableAgain(bytes, last);
    }

    private static void apply(TreeFrame frame, VersionedTree tree) {
        frame.states().forEach((path, state) -> tree.put(path, state.node()));
    }

    private void refuseDamage(ByteBuffer bytes, int position) {
        if (TreeFrame.at(bytes, position) != null) {
            return; // The seal: what follows it was never durable.
        }
        for (int at = position + 1; at <= bytes.limit() - TreeFrame.SMALLEST_BYTES; at++) {
            TreeFrame later = TreeFrame.at(bytes, at);
            if (later != null && later.number() > nextNumber) {
                throw new DamagedMetadata(
                        file.path(),
                        position,
                        "frame " + nextNumber + " is unreadable but a later one follows at " + at);
            }
        }
    }

    private void cutTornTail() {
        long cut = file.size() - end;
        if (cut > TreeFrame.SMALLEST_BYTES) {
            LOG.warn(
                    "{}: cut {} bytes of an unfinished commit at {}, as after a crash",
                    file.path(),
                    cut,
                    end);
        }
        if (cut > 0) {
            file.truncate(end);
        }
    }

    /// The last frame may have been read from memory alone: its force never came, or failed, which leaves pages that look clean and
    /// are not on disk. Writing them again makes the force count.
    private void makeDurableAgain(ByteBuffer bytes, int last) {
        file.write(bytes.slice(last, (int) end - last), last);
        file.force();
        seal();
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
    void append(Map<String, Staged> states) {
        ByteBuffer frame = new TreeFrame(nextNumber, states).encode();
        int size = frame.remaining();
        try {
            file.write(frame, end);
        } catch (DiskException e) {
            giveBackRoom();
            throw e;
        }
        file.force();
        end += size;
        nextNumber++;
        seal();
    }

    private void giveBackRoom() {
        try {
            file.truncate(end);
        } catch (DiskException e) {
            LOG.debug("{}: cannot cut off a half-written commit; it will be overwritten", file, e);
        }
    }

    private void seal() {
        try {
            file.write(TreeFrame.seal(nextNumber).encode(), end);
        } catch (DiskException e) {
            LOG.debug("{}: no room for a seal", file, e);
        }
    }

    boolean wantsSnapshot() {
        return end - snapshotEnd > Math.max(SMALLEST_ROLL_BYTES, 2 * snapshotEnd);
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
        end = next.size();
        snapshotEnd = end;
        seal();
        deleteAllBut(name(number));
    }

    @Override
    public void close() {
        try (DiskFile closing = file) {
            closing.force();
        }
    }
}
