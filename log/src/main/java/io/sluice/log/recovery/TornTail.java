package io.sluice.log.recovery;

import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import io.sluice.log.segment.LogFolder;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// What to do with the bytes above the durable point.
final class TornTail {
    private static final int CHUNK_BYTES = 256 << 10;
    private static final long MOST_KEPT_BYTES = 1 << 20;

    private TornTail() {}

    /// Copies what is about to be cut, unless it is zeros written ahead: a torn write and a damaged byte look the same from
    /// here, so a person may want to see it. Returns the copy's path, null when there was nothing but zeros.
    static @Nullable String keep(
            LogFolder folder, long baseOffset, DiskFile file, long from, long to) {
        String path = folder.path(copyOf(baseOffset, from));
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
        DiskFile copy = null;
        try {
            for (long at = from; at < Math.min(to, from + MOST_KEPT_BYTES); at += CHUNK_BYTES) {
                chunk.clear().limit((int) Math.min(CHUNK_BYTES, to - at));
                file.read(chunk, at);
                chunk.flip();
                if (copy == null && !isZeros(chunk)) {
                    copy = folder.disk().open(path);
                }
                if (copy != null) {
                    copy.write(chunk, at - from);
                }
            }
            return copy == null ? null : path;
        } catch (DiskException e) {
            if (e.kind() != DiskException.Kind.FULL) {
                throw e;
            }
            return null; // No room for a copy is no reason not to start.
        } finally {
            if (copy != null) {
                copy.close();
            }
        }
    }

    /// The name of what was cut from a segment at a position.
    static String copyOf(long baseOffset, long position) {
        return LogFolder.name(baseOffset, LogFolder.LOG) + "." + position + LogFolder.TORN;
    }

    /// Makes an earlier cut durable that may be in the page cache only.
    static void cutAgain(DiskFile file, long end) {
        try {
            file.write(ByteBuffer.allocate(1), end);
        } catch (DiskException e) {
            if (e.kind() != DiskException.Kind.FULL) {
                throw e;
            }
        }
        file.truncate(end);
        file.force();
    }

    /// Makes the bytes dirty again, so that the next force really writes them.
    ///
    /// After a failed force the page cache shows bytes as written that are not on disk, and the next force reports success; a process that is started again
    /// cannot know whether that happened.
    static void writeAgain(DiskFile file, long from, long to) {
        ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK_BYTES, to - from));
        for (long at = from; at < to; at += chunk.limit()) {
            chunk.clear().limit((int) Math.min(chunk.capacity(), to - at));
            file.read(chunk, at);
            chunk.flip();
            file.write(chunk, at);
        }
    }

    static boolean isZeros(DiskFile file, long from, long to) {
        ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK_BYTES, to - from));
        for (long at = from; at < to; at += CHUNK_BYTES) {
            chunk.clear().limit((int) Math.min(chunk.capacity(), to - at));
            file.read(chunk, at);
            if (!isZeros(chunk.flip())) {
                return false;
            }
        }
        return true;
    }

    private static boolean isZeros(ByteBuffer bytes) {
        for (int i = bytes.position(); i < bytes.limit(); i++) {
            if (bytes.get(i) != 0) {
                return false;
            }
        }
        return true;
    }
}
