package io.sluice.partition;

import io.sluice.env.Disk;
import io.sluice.env.DiskException;
import io.sluice.env.DiskException.Kind;
import io.sluice.env.DiskFile;
import io.sluice.env.os.OsDisk;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A real disk that fails when told to, and counts what matters. Owned by its test.
public final class FragileDisk implements Disk {
    private final OsDisk disk;
    private boolean failsForce;
    private boolean failsWrite;
    private boolean isFull;
    private long usable = -1;
    private @Nullable Kind failsOpen;
    private boolean failsSync;
    private boolean failsRead;
    private boolean failsRename;
    private int forces;

    public FragileDisk(Path root) {
        this.disk = new OsDisk(root);
    }

    /// From now on no force succeeds.
    public void failForces() {
        failsForce = true;
    }

    /// From now on no write succeeds, and nobody knows why.
    public void failWrites() {
        failsWrite = true;
    }

    /// There is no room, or there is again.
    public void full(boolean full) {
        isFull = full;
    }

    /// What is told to whoever asks how much is free; -1 for what is so.
    public void usable(long bytes) {
        usable = bytes;
    }

    /// From now on no file can be opened, for this reason; null for as usual.
    public void failOpens(@Nullable Kind reason) {
        failsOpen = reason;
    }

    /// No folder can be made durable, or every one again.
    public void failSyncs(boolean fails) {
        failsSync = fails;
    }

    /// No file can get another name, or every one again.
    public void failRenames(boolean fails) {
        failsRename = fails;
    }

    /// From now on no file can be read.
    public void failReads() {
        failsRead = true;
    }

    /// How many forces have succeeded.
    public int forces() {
        return forces;
    }

    public int openFiles() {
        return disk.openFiles();
    }

    @Override
    public DiskFile open(String path) {
        failOpen(path);
        return new FragileFile(disk.open(path));
    }

    @Override
    public DiskFile openForReading(String path) {
        failOpen(path);
        return new FragileFile(disk.openForReading(path));
    }

    private void failOpen(String path) {
        if (failsOpen != null) {
            throw new DiskException(failsOpen, path, "Cannot open " + path + ".");
        }
    }

    private static void failIf(boolean fails, String what, String path) {
        if (fails) {
            throw new DiskException(Kind.IO, path, "Cannot " + what + " " + path);
        }
    }

    @Override
    public List<String> list(String directory) {
        return disk.list(directory);
    }

    @Override
    public boolean exists(String path) {
        return disk.exists(path);
    }

    @Override
    public void createDirectory(String directory) {
        disk.createDirectory(directory);
    }

    @Override
    public void rename(String from, String to) {
        failIf(failsRename, "rename", from);
        disk.rename(from, to);
    }

    @Override
    public void delete(String path) {
        disk.delete(path);
    }

    @Override
    public void syncDirectory(String directory) {
        failIf(failsSync, "sync", directory);
        disk.syncDirectory(directory);
    }

    @Override
    public long usableBytes() {
        return usable < 0 ? disk.usableBytes() : usable;
    }

    @Override
    public long totalBytes() {
        return disk.totalBytes();
    }

    private final class FragileFile implements DiskFile {
        private final DiskFile file;

        FragileFile(DiskFile file) {
            this.file = file;
        }

        @Override
        public String path() {
            return file.path();
        }

        @Override
        public void write(ByteBuffer source, long position) {
            failIf(failsWrite, "write", path());
            if (isFull) {
                throw new DiskException(
                        DiskException.Kind.FULL, path(), "No room left for " + path());
            }
            file.write(source, position);
        }

        @Override
        public int read(ByteBuffer target, long position) {
            failIf(failsRead, "read", path());
            return file.read(target, position);
        }

        @Override
        public long size() {
            return file.size();
        }

        @Override
        public void truncate(long size) {
            file.truncate(size);
        }

        @Override
        public void force() {
            failIf(failsForce, "force", path());
            file.force();
            forces++;
        }

        @Override
        public void retain() {
            file.retain();
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
