package io.sluice.simulation.disk;

import io.sluice.env.Disk;
import io.sluice.env.DiskException;
import io.sluice.env.DiskException.Kind;
import io.sluice.env.DiskFile;
import io.sluice.simulation.SimEntropy;
import io.sluice.simulation.TraceHash;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// The simulated disk: keeps the promises of [Disk], and breaks everything that they leave open.
///
/// Owned by its world; outlives the processes that use it.
public final class SimDisk implements Disk {
    private static final long UNLIMITED = 1L << 40;
    private static final int NEVER = -1;

    private final SimEntropy entropy;
    private final TraceHash trace;
    private final Map<DiskFault, Integer> faults = new EnumMap<>(DiskFault.class);
    private final NameSpace names = new NameSpace();
    private long capacity = UNLIMITED;
    private long used;
    private int openFiles;
    private int powerCycle;
    private boolean powered = true;
    private int operationsUntilPowerCut = NEVER;
    private int failedForcePerMille;
    private boolean forceHasFailed;

    public SimDisk(SimEntropy entropy, TraceHash trace) {
        this.entropy = entropy;
        this.trace = trace;
    }

    // What a program does.

    @Override
    public DiskFile open(String path) {
        SimInode inode = names.findFile(path);
        if (inode == null) {
            operate("create", path);
            inode = names.createFile(path);
        }
        return opened(inode, path, true);
    }

    @Override
    public DiskFile openForReading(String path) {
        requirePower(powerCycle, path);
        SimInode inode = names.findFile(path);
        if (inode == null) {
            throw new DiskException(Kind.NOT_FOUND, path, "There is no file '" + path + "'.");
        }
        return opened(inode, path, false);
    }

    private DiskFile opened(SimInode inode, String path, boolean writable) {
        requirePower(powerCycle, path);
        inode.opened();
        openFiles++;
        return new SimDiskFile(this, inode, path, writable, powerCycle);
    }

    @Override
    public List<String> list(String directory) {
        requirePower(powerCycle, directory);
        return names.find(directory) instanceof SimDirectory found
                ? new ArrayList<>(found.current.keySet())
                : List.of();
    }

    @Override
    public boolean exists(String path) {
        requirePower(powerCycle, path);
        return names.find(path) != null;
    }

    @Override
    public void createDirectory(String directory) {
        operate("mkdir", directory);
        names.createDirectory(directory);
    }

    @Override
    public void rename(String from, String to) {
        operate("rename", from);
        SimInode replaced = names.rename(from, to);
        if (replaced != null) {
            unlinked(replaced);
        }
    }

    @Override
    public void delete(String path) {
        operate("delete", path);
        names.delete(path, this::unlinked);
    }

    @Override
    public void syncDirectory(String directory) {
        operate("sync", directory);
        SimDirectory found = names.requireDirectory(directory);
        if (forceFails()) {
            throw new DiskException(
                    Kind.IO, directory, "Cannot sync the directory '" + directory + "'.");
        }
        names.sync(found);
    }

    @Override
    public long usableBytes() {
        return Math.max(0, capacity - used);
    }

    @Override
    public long totalBytes() {
        return capacity;
    }

    void write(SimDiskFile file, int position, byte[] bytes) {
        trace.add(ByteBuffer.wrap(bytes));
        operate("write", file, position);
        SimInode inode = file.inode();
        long room = inode.size() + usableBytes();
        if (position + (long) bytes.length > room) {
            hit(DiskFault.FULL);
            int fits = Math.clamp(room - position, 0, bytes.length - 1);
            writeTo(inode, position, Arrays.copyOf(bytes, entropy.below(fits + 1)));
            throw new DiskException(
                    Kind.FULL, file.path(), "Cannot write to " + file.path() + ": no room.");
        }
        writeTo(inode, position, bytes);
    }

    private void writeTo(SimInode inode, int position, byte[] bytes) {
        if (bytes.length > 0) {
            int before = inode.size();
            inode.write(position, bytes);
            used += inode.size() - before;
        }
    }

    int read(SimDiskFile file, ByteBuffer target, long position) {
        requirePower(file.powerCycle(), file.path());
        if (file.inode().isUnreadable(position, target.remaining())) {
            hit(DiskFault.READ_ERROR);
            throw new DiskException(
                    Kind.IO, file.path(), "Cannot read " + file.path() + " at " + position + ".");
        }
        return file.inode().read(target, position);
    }

    void truncate(SimDiskFile file, int size) {
        operate("truncate", file, size);
        int before = file.inode().size();
        file.inode().cut(size);
        used += file.inode().size() - before;
    }

    void force(SimDiskFile file) {
        operate("force", file, 0);
        if (forceFails()) {
            file.inode().failForce(entropy);
            throw new DiskException(
                    Kind.IO, file.path(), "Cannot make " + file.path() + " durable.");
        }
        file.inode().force();
    }

    private boolean forceFails() {
        if (entropy.below(1000) < failedForcePerMille) {
            hit(DiskFault.FAILED_FORCE);
            forceHasFailed = true;
            return true;
        }
        return false;
    }

    void closed(SimDiskFile file) {
        if (file.powerCycle() == powerCycle) {
            openFiles--;
            file.inode().closed();
            collect(file.inode());
        }
    }

    private void unlinked(SimInode inode) {
        inode.unlinked();
        collect(inode);
    }

    private void collect(SimInode inode) {
        if (inode.isGarbage()) {
            used -= inode.size();
        }
    }

    private void operate(String operation, SimDiskFile file, long detail) {
        requirePower(file.powerCycle(), file.path());
        trace.add(detail);
        operate(operation, file.path());
    }

    private void operate(String operation, String path) {
        requirePower(powerCycle, path);
        trace.add(operation);
        trace.add(path);
        if (operationsUntilPowerCut != NEVER && operationsUntilPowerCut-- == 0) {
            hit(DiskFault.POWER_CUT);
            powered = false;
            operationsUntilPowerCut = NEVER;
            throw new PowerCut(operation + " " + path);
        }
    }

    private void requirePower(int cycle, String path) {
        if (!powered || cycle != powerCycle) {
            throw new PowerCut("use of " + path + " without power");
        }
    }

    private void hit(DiskFault fault) {
        trace.add(fault.name());
        faults.merge(fault, 1, Integer::sum);
    }

    // What the world does to it.

    /// The power goes off inside one of the next operations that change something: the n-th from now, counted from 0.
    public void cutPowerAfter(int operations) {
        operationsUntilPowerCut = operations;
    }

    public boolean isPowered() {
        return powered;
    }

    /// The power goes off, if it has not yet, and on again: all that was not durable may be gone.
    public void crash() {
        forceHasFailed = false;
        powered = true;
        operationsUntilPowerCut = NEVER;
        powerCycle++;
        openFiles = 0;
        used = 0;
        names.crash(entropy, this::hit);
        names.forEachFile(
                (_, inode) -> {
                    inode.crash(entropy, this::hit);
                    used += inode.size();
                });
        trace.add(used);
    }

    /// The process died but the machine lives: all that was written is still there, durable or not.
    public void loseProcess() {
        powered = true;
        operationsUntilPowerCut = NEVER;
        powerCycle++;
        openFiles = 0;
        used = 0;
        names.forEachFile(
                (_, inode) -> {
                    inode.abandoned();
                    used += inode.size();
                });
    }

    /// How many bytes all files together may have; more may be in use already.
    public void capacity(long bytes) {
        capacity = bytes;
    }

    public void unlimitedCapacity() {
        capacity = UNLIMITED;
    }

    public long usedBytes() {
        return used;
    }

    /// A force or a directory sync has failed since the power was on.
    public boolean hasForceFailed() {
        return forceHasFailed;
    }

    /// How many of a thousand forces and directory syncs fail.
    public void failedForcePerMille(int perMille) {
        failedForcePerMille = perMille;
    }

    /// Changes bits of one byte at rest.
    public void rot(String path, long position, int mask) {
        hit(DiskFault.BIT_ROT);
        require(path).rot(Math.toIntExact(position), mask);
    }

    /// Somewhere on it is a bit that has changed at rest and was not written again.
    public boolean isRotten() {
        return !rottenFiles().isEmpty();
    }

    /// The files with such bits.
    public List<String> rottenFiles() {
        List<String> found = new ArrayList<>();
        names.forEachFile(
                (path, inode) -> {
                    if (inode.isRotten()) {
                        found.add(path);
                    }
                });
        return found;
    }

    /// Reads that touch this range fail until it is written again.
    public void failReads(String path, long from, long to) {
        require(path).failReads(from, to);
    }

    public void healReads() {
        names.forEachFile((_, inode) -> inode.healReads());
    }

    /// A file, or a directory with all that is in it, is gone for good, and no program has done it.
    public void lose(String path) {
        names.delete(path, this::unlinked);
        int slash = path.lastIndexOf('/');
        names.sync(names.requireDirectory(slash < 0 ? "" : path.substring(0, slash)));
    }

    /// How long a file would be after losing everything that was not forced.
    public long durableSize(String path) {
        return require(path).durableSize();
    }

    /// What is in a file, which no program can know of its durable part.
    public FileContent content(String path) {
        return require(path).content();
    }

    /// The names in a directory, whether there is power or not; none when there is no such directory.
    public List<String> namesIn(String directory) {
        return names.find(directory) instanceof SimDirectory found
                ? new ArrayList<>(found.current.keySet())
                : List.of();
    }

    public List<String> files() {
        List<String> paths = new ArrayList<>();
        names.forEachFile((path, _) -> paths.add(path));
        return paths;
    }

    private SimInode require(String path) {
        SimInode inode = names.findFile(path);
        if (inode == null) {
            throw new IllegalArgumentException("no file " + path);
        }
        return inode;
    }

    public int openFiles() {
        return openFiles;
    }

    /// How often each fault has struck.
    public Map<DiskFault, Integer> faults() {
        return Collections.unmodifiableMap(faults);
    }
}
