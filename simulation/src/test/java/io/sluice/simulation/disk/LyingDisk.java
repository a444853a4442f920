package io.sluice.simulation.disk;

import io.sluice.env.Disk;
import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import io.sluice.record.BatchReader;
import io.sluice.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Predicate;

/// A disk that hides one mistake which a program on it could have made: the simulation must find each of them.
public final class LyingDisk implements Disk {
    private static final int CHECKSUM_AT = 17;

    private final Disk honest;
    private final Lie lie;
    private final Predicate<String> about;

    /// @param about the paths that the lie is about
    public LyingDisk(Disk honest, Lie lie, Predicate<String> about) {
        this.honest = honest;
        this.lie = lie;
        this.about = about;
    }

    /// The mistakes.
    public enum Lie {
        /// Acknowledges without fsync.
        SKIP_FORCE,
        /// Tries again after a failed fsync, and believes the second answer.
        RETRY_FORCE,
        /// Forgets that names need a sync of their directory.
        SKIP_DIRECTORY_SYNC,
        /// Gives up a write at a full disk without a word.
        SWALLOW_FULL,
        /// Does not look at some names in a directory.
        OVERLOOK_NAMES,
        /// Believes every batch without looking at its checksum.
        BELIEVE_CHECKSUMS
    }

    @Override
    public DiskFile open(String path) {
        return new LyingFile(honest.open(path));
    }

    @Override
    public DiskFile openForReading(String path) {
        return new LyingFile(honest.openForReading(path));
    }

    @Override
    public List<String> list(String directory) {
        List<String> names = honest.list(directory);
        return lie == Lie.OVERLOOK_NAMES
                ? names.stream().filter(name -> !about.test(name)).toList()
                : names;
    }

    @Override
    public boolean exists(String path) {
        return honest.exists(path);
    }

    @Override
    public void createDirectory(String directory) {
        honest.createDirectory(directory);
    }

    @Override
    public void rename(String from, String to) {
        honest.rename(from, to);
    }

    @Override
    public void delete(String path) {
        honest.delete(path);
    }

    @Override
    public void syncDirectory(String directory) {
        if (lie != Lie.SKIP_DIRECTORY_SYNC) {
            honest.syncDirectory(directory);
        }
    }

    @Override
    public long usableBytes() {
        return honest.usableBytes();
    }

    @Override
    public long totalBytes() {
        return honest.totalBytes();
    }

    private final class LyingFile implements DiskFile {
        private final DiskFile file;

        LyingFile(DiskFile file) {
            this.file = file;
        }

        private boolean lies(Lie which) {
            return lie == which && about.test(file.path());
        }

        @Override
        public String path() {
            return file.path();
        }

        @Override
        public void write(ByteBuffer source, long position) {
            try {
                file.write(source, position);
            } catch (DiskException e) {
                if (!lies(Lie.SWALLOW_FULL) || e.kind() != DiskException.Kind.FULL) {
                    throw e;
                }
            }
        }

        @Override
        public int read(ByteBuffer target, long position) {
            int from = target.position();
            int count = file.read(target, position);
            if (lies(Lie.BELIEVE_CHECKSUMS)) {
                correctChecksums(target, from, position);
            }
            return count;
        }

        /// Puts the right checksum into every batch of the part that was read, so that checking it finds nothing.
        private void correctChecksums(ByteBuffer target, int from, long position) {
            ByteBuffer whole = ByteBuffer.allocate((int) file.size());
            file.read(whole, 0);
            BatchReader reader = new BatchReader(whole.flip(), false);
            for (RecordBatch batch = reader.next(); batch != null; batch = reader.next()) {
                long field = reader.position() - batch.sizeInBytes() + CHECKSUM_AT - position;
                int correct = batch.computeChecksum();
                for (int i = 0; i < Integer.BYTES; i++) {
                    if (field + i >= 0 && from + field + i < target.position()) {
                        target.put((int) (from + field + i), (byte) (correct >>> (24 - 8 * i)));
                    }
                }
            }
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
            if (lies(Lie.SKIP_FORCE)) {
                return;
            }
            try {
                file.force();
            } catch (DiskException e) {
                if (!lies(Lie.RETRY_FORCE)) {
                    throw e;
                }
                retry();
            }
        }

        private void retry() {
            try {
                file.force();
            } catch (DiskException _) {
                retry();
            }
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
