package io.sluice.env;

import java.util.List;

/// Files below one data directory. Paths are relative to it, with `/`; the empty path is the directory itself.
///
/// Calls may block for as long as the disk does; on an owner's thread only those that end in the page cache may be
/// made (write, read of recent data, size). Crash rules that callers rely on: what was written is durable after
/// [DiskFile#force]; a created, renamed or deleted name is durable after [#syncDirectory] of its directory; a
/// rename is atomic. Thread-safe.
public interface Disk {
    /// Opens for reading and writing, creating the file when absent. The caller closes it.
    DiskFile open(String path);

    /// Opens an existing file for reading. Throws [DiskException] of kind NOT_FOUND otherwise.
    DiskFile openForReading(String path);

    /// The names in a directory, sorted; empty when the directory does not exist.
    List<String> list(String directory);

    boolean exists(String path);

    /// With its parents. Nothing happens when it exists.
    void createDirectory(String directory);

    /// Atomic; replaces an existing target file. Also renames directories (to a free name).
    void rename(String from, String to);

    /// Deletes a file, or a directory with all in it. Nothing happens when absent.
    void delete(String path);

    /// Makes created, renamed and deleted names in this directory durable.
    void syncDirectory(String directory);

    /// How many bytes can still be written.
    long usableBytes();

    /// How many bytes there are in all, written or not.
    long totalBytes();
}
