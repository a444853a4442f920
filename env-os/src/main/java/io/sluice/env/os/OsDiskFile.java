package io.sluice.env.os;

import io.sluice.env.DiskFile;
import io.sluice.record.Invariant;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/// One open file of the real file system, read and written at positions.
///
/// Thread-safe: positional calls on a `FileChannel` share no state, and the uses are counted atomically.
public final class OsDiskFile implements DiskFile {
    /// Java copies a heap buffer into off-heap memory of the same size that stays with the thread for ever; pieces keep that small.
    private static final int PIECE_BYTES = 1 << 20;

    private final String path;
    private final Path location;
    private final FileChannel channel;
    private final DiskFailure failure;
    private final AtomicInteger openFiles;
    private final AtomicInteger uses = new AtomicInteger(1);

    OsDiskFile(
            String path,
            Path location,
            FileChannel channel,
            DiskFailure failure,
            AtomicInteger openFiles) {
        this.path = path;
        this.location = location;
        this.channel = channel;
        this.failure = failure;
        this.openFiles = openFiles;
        openFiles.incrementAndGet();
    }

    @Override
    public String path() {
        return path;
    }

    /// For `sendfile`. The caller holds a use of this file and must not close the channel.
    public FileChannel channel() {
        return channel;
    }

    @Override
    public void write(ByteBuffer source, long position) {
        int length = source.remaining();
        try {
            writeFully(source, position);
        } catch (IOException e) {
            throw failure.of("write " + length + " bytes at " + position + " to", path, e, length);
        }
    }

    private void writeFully(ByteBuffer source, long position) throws IOException {
        int limit = source.limit();
        long at = position;
        try {
            while (source.position() < limit) {
                source.limit(
                        source.isDirect()
                                ? limit
                                : Math.min(limit, source.position() + PIECE_BYTES));
                at += channel.write(source, at);
            }
        } finally {
            source.limit(limit);
        }
    }

    @Override
    public int read(ByteBuffer target, long position) {
        int limit = target.limit();
        int from = target.position();
        try {
            long at = position;
            while (target.position() < limit) {
                target.limit(
                        target.isDirect()
                                ? limit
                                : Math.min(limit, target.position() + PIECE_BYTES));
                int count = channel.read(target, at);
                if (count < 0) {
                    break;
                }
                at += count;
            }
            return target.position() - from;
        } catch (IOException e) {
            throw failure.of("read " + (limit - from) + " bytes at " + position + " of", path, e);
        } finally {
            target.limit(limit);
        }
    }

    @Override
    public long size() {
        try {
            return channel.size();
        } catch (IOException e) {
            throw failure.of("find the size of", path, e);
        }
    }

    @Override
    public void truncate(long size) {
        try {
            channel.truncate(size);
        } catch (IOException e) {
            throw failure.of("truncate to " + size + " bytes", path, e);
        }
    }

    /// `fdatasync`: the data and what is needed to read it back, which includes a changed size; not the access times.
    @Override
    public void force() {
        try {
            channel.force(false);
        } catch (IOException e) {
            throw failure.of("make durable what was written to", path, e);
        }
    }

    @Override
    public void retain() {
        int before = uses.getAndUpdate(count -> count == 0 ? 0 : count + 1);
        Invariant.check(before > 0, "a closed file was retained: " + path);
    }

    @Override
    public void close() {
        int left = uses.decrementAndGet();
        Invariant.check(left >= 0, "a file was closed more often than opened: " + path);
        if (left > 0) {
            return;
        }
        openFiles.decrementAndGet();
        try {
            channel.close();
        } catch (IOException e) {
            throw failure.of("close", path, e);
        }
    }

    @Override
    public String toString() {
        return "OsDiskFile[" + location + "]";
    }
}
