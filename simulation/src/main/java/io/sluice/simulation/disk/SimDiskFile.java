package io.sluice.simulation.disk;

import io.sluice.env.DiskFile;
import io.sluice.record.Invariant;
import java.nio.ByteBuffer;

/// One open file of the simulated disk. Owned by its disk; useless after the next power cut.
final class SimDiskFile implements DiskFile {
    private final SimDisk disk;
    private final SimInode inode;
    private final String path;
    private final boolean writable;
    private final int powerCycle;
    private int uses = 1;

    SimDiskFile(SimDisk disk, SimInode inode, String path, boolean writable, int powerCycle) {
        this.disk = disk;
        this.inode = inode;
        this.path = path;
        this.writable = writable;
        this.powerCycle = powerCycle;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public void write(ByteBuffer source, long position) {
        requireWritable();
        byte[] bytes = new byte[source.remaining()];
        source.get(bytes);
        disk.write(this, Math.toIntExact(position), bytes);
    }

    @Override
    public int read(ByteBuffer target, long position) {
        requireOpen();
        return disk.read(this, target, position);
    }

    @Override
    public long size() {
        requireOpen();
        return inode.size();
    }

    @Override
    public void truncate(long size) {
        requireWritable();
        disk.truncate(this, Math.toIntExact(size));
    }

    @Override
    public void force() {
        requireOpen();
        disk.force(this);
    }

    @Override
    public void retain() {
        Invariant.check(uses > 0, "a closed file was retained: " + path);
        uses++;
    }

    @Override
    public void close() {
        Invariant.check(uses > 0, "a file was closed more often than opened: " + path);
        uses--;
        if (uses == 0) {
            disk.closed(this);
        }
    }

    SimInode inode() {
        return inode;
    }

    int powerCycle() {
        return powerCycle;
    }

    private void requireOpen() {
        Invariant.check(uses > 0, "a closed file was used: " + path);
    }

    private void requireWritable() {
        requireOpen();
        if (!writable) {
            throw new IllegalStateException("opened for reading: " + path);
        }
    }

    @Override
    public String toString() {
        return "SimDiskFile[" + path + "]";
    }
}
