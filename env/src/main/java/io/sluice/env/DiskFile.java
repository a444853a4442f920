package io.sluice.env;

import java.nio.ByteBuffer;

/// One open file. Counted: it is closed when the opener and all who retained it have closed it.
///
/// Writes come from one owner; `read`, `force` and `size` may run on other threads at the same time.
public interface DiskFile extends AutoCloseable {
    /// Relative to the disk's root.
    String path();

    /// Writes all remaining bytes at the position; the file grows as needed. Throws [DiskException] (FULL when there is no room,
    /// in which case any part may have been written).
    void write(ByteBuffer source, long position);

    /// Fills the buffer as far as the file has bytes. Returns how many were read, 0 at or behind the end.
    int read(ByteBuffer target, long position);

    long size();

    void truncate(long size);

    /// Makes everything written so far durable, with the file's size. After a failure nothing is known about what is on disk, and
    /// repeating the call proves nothing: the caller must treat the file as damaged until it has been read again.
    void force();

    /// One more user; each must [#close].
    void retain();

    @Override
    void close();
}
