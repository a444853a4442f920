package io.sluice.log;

import io.sluice.env.Disk;
import io.sluice.env.DiskException;
import io.sluice.env.DiskException.Kind;
import io.sluice.env.DiskFile;
import io.sluice.record.Invariant;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// A disk in memory that forgets what was not forced, for tests of what a crash leaves behind. Owned by its test.
final class CrashDisk implements Disk {
    private static final int SECTOR_BYTES = 512;

    private TreeMap<String, Inode> names = new TreeMap<>();
    private TreeMap<String, Inode> durableNames = new TreeMap<>();
    private TreeSet<String> directories = new TreeSet<>();
    private TreeSet<String> durableDirectories = new TreeSet<>();

    long capacity = Long.MAX_VALUE / 4;
    @Nullable String failForceOf;
    @Nullable String failWriteTo;
    @Nullable String failSyncOf;
    int opens;
    int forces;
    int directorySyncs;
    int openHandles;
    long bytesRead;
    final List<String> journal = new ArrayList<>();

    /// How many changes still happen before the power goes; -1 for never.
    int stepsUntilPowerLoss = -1;

    /// Thrown in the middle of whatever was going on.
    static final class PowerLoss extends RuntimeException {}

    private void step() {
        if (stepsUntilPowerLoss == 0) {
            throw new PowerLoss();
        }
        if (stepsUntilPowerLoss > 0) {
            stepsUntilPowerLoss--;
        }
    }

    private static final class Inode {
        byte[] bytes = new byte[0];
        int size;
        byte[] durable = new byte[0];
        final BitSet dirty = new BitSet();

        void touched(long from, long to) {
            dirty.set((int) (from / SECTOR_BYTES), (int) ((to + SECTOR_BYTES - 1) / SECTOR_BYTES));
        }

        /// Only what was written since the last attempt: a failed force leaves lost sectors that look clean.
        void force() {
            byte[] next = Arrays.copyOf(durable, size);
            dirty.stream()
                    .map(sector -> sector * SECTOR_BYTES)
                    .filter(at -> at < size)
                    .forEach(
                            at ->
                                    System.arraycopy(
                                            bytes,
                                            at,
                                            next,
                                            at,
                                            Math.min(SECTOR_BYTES, size - at)));
            durable = next;
            dirty.clear();
        }

        void grow(int to) {
            if (to > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(to, bytes.length * 2));
            }
            size = Math.max(size, to);
        }
    }

    /// The power goes: only what was forced, under names that were synced, is left.
    void crash() {
        crash(_ -> false);
    }

    /// The power goes, and each sector that was not forced is there or not, by chance.
    void crash(Random random) {
        crash(_ -> random.nextBoolean());
    }

    private void crash(java.util.function.IntPredicate keepsSector) {
        TreeMap<String, Inode> left = new TreeMap<>();
        durableNames.forEach(
                (path, inode) -> {
                    if (isDurable(parent(path))) {
                        left.put(path, afterCrash(inode, keepsSector));
                    }
                });
        TreeSet<String> leftDirectories = new TreeSet<>();
        durableDirectories.stream().filter(this::isDurable).forEach(leftDirectories::add);
        names = left;
        durableNames = new TreeMap<>(left);
        directories = leftDirectories;
        durableDirectories = new TreeSet<>(leftDirectories);
    }

    private boolean isDurable(String directory) {
        return directory.isEmpty()
                || (durableDirectories.contains(directory) && isDurable(parent(directory)));
    }

    private static Inode afterCrash(Inode inode, java.util.function.IntPredicate keepsSector) {
        Inode after = new Inode();
        after.bytes = inode.durable.clone();
        after.size = inode.durable.length;
        for (int at = 0; at < inode.size; at += SECTOR_BYTES) {
            if (keepsSector.test(at)) {
                int end = Math.min(inode.size, at + SECTOR_BYTES);
                after.grow(end);
                System.arraycopy(inode.bytes, at, after.bytes, at, end - at);
            }
        }
        after.durable = Arrays.copyOf(after.bytes, after.size);
        return after;
    }

    /// The process dies, the machine goes on: nothing is lost. Returns a disk with the same content.
    CrashDisk copy() {
        CrashDisk copy = new CrashDisk();
        IdentityHashMap<Inode, Inode> same = new IdentityHashMap<>();
        names.forEach(
                (path, inode) ->
                        copy.names.put(path, same.computeIfAbsent(inode, CrashDisk::copy)));
        durableNames.forEach(
                (path, inode) ->
                        copy.durableNames.put(path, same.computeIfAbsent(inode, CrashDisk::copy)));
        copy.directories.addAll(directories);
        copy.durableDirectories.addAll(durableDirectories);
        return copy;
    }

    private static Inode copy(Inode inode) {
        Inode same = new Inode();
        same.bytes = Arrays.copyOf(inode.bytes, inode.size);
        same.size = inode.size;
        same.durable = inode.durable.clone();
        same.dirty.or(inode.dirty);
        return same;
    }

    byte[] content(String path) {
        Inode inode = require(path);
        return Arrays.copyOf(inode.bytes, inode.size);
    }

    void replaceContent(String path, byte[] content) {
        Inode inode = names.computeIfAbsent(path, _ -> new Inode());
        durableNames.put(path, inode);
        inode.bytes = content.clone();
        inode.size = content.length;
        inode.durable = content.clone();
    }

    void flipBit(String path, int position) {
        byte[] content = content(path);
        content[position] ^= 0x10;
        replaceContent(path, content);
    }

    List<String> paths() {
        return List.copyOf(names.keySet());
    }

    long usedBytes() {
        return names.values().stream().mapToLong(inode -> inode.size).sum();
    }

    @Override
    public DiskFile open(String path) {
        opens++;
        if (!isDirectory(parent(path))) {
            throw new DiskException(Kind.NOT_FOUND, path, "no directory for " + path);
        }
        return new OpenFile(path, names.computeIfAbsent(path, _ -> new Inode()));
    }

    @Override
    public DiskFile openForReading(String path) {
        opens++;
        return new OpenFile(path, require(path));
    }

    @Override
    public List<String> list(String directory) {
        TreeSet<String> found = new TreeSet<>();
        String prefix = directory.isEmpty() ? "" : directory + "/";
        for (String path : names.tailMap(prefix).keySet()) {
            if (!path.startsWith(prefix)) {
                break;
            }
            String rest = path.substring(prefix.length());
            found.add(rest.contains("/") ? rest.substring(0, rest.indexOf('/')) : rest);
        }
        directories.stream()
                .filter(path -> !path.isEmpty() && parent(path).equals(directory))
                .forEach(path -> found.add(path.substring(prefix.length())));
        return List.copyOf(found);
    }

    @Override
    public boolean exists(String path) {
        return names.containsKey(path) || isDirectory(path);
    }

    @Override
    public void createDirectory(String directory) {
        step();
        for (String path = directory; !path.isEmpty(); path = parent(path)) {
            directories.add(path);
        }
    }

    @Override
    public void rename(String from, String to) {
        step();
        journal.add("rename " + from + " " + to);
        if (isDirectory(from)) {
            renameDirectory(from, to);
            return;
        }
        names.put(to, require(from));
        names.remove(from);
    }

    private void renameDirectory(String from, String to) {
        for (String path : List.copyOf(names.keySet())) {
            if (path.startsWith(from + "/")) {
                String renamed = to + path.substring(from.length());
                Inode inode = require(path);
                names.remove(path);
                names.put(renamed, inode);
                if (durableNames.remove(path) != null) {
                    durableNames.put(renamed, inode);
                }
            }
        }
        directories.remove(from);
        directories.add(to);
    }

    @Override
    public void delete(String path) {
        step();
        journal.add("delete " + path);
        names.keySet().removeIf(name -> name.equals(path) || name.startsWith(path + "/"));
        directories.removeIf(name -> name.equals(path) || name.startsWith(path + "/"));
    }

    @Override
    public void syncDirectory(String directory) {
        step();
        journal.add("sync " + directory);
        if (directory.equals(failSyncOf)) {
            failSyncOf = null;
            throw new DiskException(Kind.IO, directory, "sync failed");
        }
        directorySyncs++;
        durableNames.keySet().removeIf(path -> parent(path).equals(directory));
        names.forEach(
                (path, inode) -> {
                    if (parent(path).equals(directory)) {
                        durableNames.put(path, inode);
                    }
                });
        durableDirectories.removeIf(path -> parent(path).equals(directory));
        directories.stream()
                .filter(path -> parent(path).equals(directory))
                .forEach(durableDirectories::add);
    }

    @Override
    public long usableBytes() {
        return capacity - usedBytes();
    }

    @Override
    public long totalBytes() {
        return capacity;
    }

    private boolean isDirectory(String path) {
        return path.isEmpty() || directories.contains(path);
    }

    private Inode require(String path) {
        Inode inode = names.get(path);
        if (inode == null) {
            throw new DiskException(Kind.NOT_FOUND, path, "no such file: " + path);
        }
        return inode;
    }

    private static String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash < 0 ? "" : path.substring(0, slash);
    }

    private final class OpenFile implements DiskFile {
        private final String path;
        private final Inode inode;
        private int uses = 1;

        OpenFile(String path, Inode inode) {
            this.path = path;
            this.inode = inode;
            openHandles++;
        }

        @Override
        public String path() {
            return path;
        }

        @Override
        public void write(ByteBuffer source, long position) {
            step();
            if (failWriteTo != null && path.endsWith(failWriteTo)) {
                failWriteTo = null;
                throw new DiskException(Kind.IO, path, "write failed");
            }
            int wanted = source.remaining();
            long growth = Math.max(0, position + wanted - inode.size);
            boolean full = growth > usableBytes();
            int count = full ? (int) Math.max(0, wanted - growth + usableBytes()) : wanted;
            inode.grow((int) position + count);
            source.get(inode.bytes, (int) position, count);
            inode.touched(position, position + count);
            if (full) {
                throw new DiskException(Kind.FULL, path, "no space left");
            }
        }

        @Override
        public int read(ByteBuffer target, long position) {
            int count = Math.clamp(inode.size - position, 0, target.remaining());
            target.put(inode.bytes, (int) Math.min(position, inode.size), count);
            bytesRead += count;
            return count;
        }

        @Override
        public long size() {
            return inode.size;
        }

        @Override
        public void truncate(long size) {
            step();
            if (size < inode.size) {
                Arrays.fill(inode.bytes, (int) size, inode.size, (byte) 0);
                inode.touched(size, inode.size);
                inode.size = (int) size;
            }
        }

        @Override
        public void force() {
            step();
            forces++;
            journal.add("force " + path);
            if (failForceOf != null && path.endsWith(failForceOf)) {
                failForceOf = null;
                inode.dirty.clear(); // As real kernels do: clean now, though not on disk.
                throw new DiskException(Kind.IO, path, "fsync failed");
            }
            inode.force();
        }

        @Override
        public void retain() {
            Invariant.check(uses > 0, "a closed file was retained");
            uses++;
        }

        @Override
        public void close() {
            uses--;
            Invariant.check(uses >= 0, "a file was closed too often");
            if (uses == 0) {
                openHandles--;
            }
        }

        @Override
        public String toString() {
            return path;
        }
    }
}
