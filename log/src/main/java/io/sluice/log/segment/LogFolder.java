package io.sluice.log.segment;

import io.sluice.env.Disk;
import io.sluice.env.DiskFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The folder of one partition and the names of the files in it. Immutable.
///
/// | name                        | what                                                                   |
/// |-----------------------------|------------------------------------------------------------------------|
/// | `<20 digits>.log`           | a segment; the digits are the first offset that may be in it           |
/// | `<20 digits>.index`         | its sparse index; marks the segment as sealed when it says so          |
/// | `<20 digits>.snapshot`      | producers and leader epochs as they were before this offset            |
/// | `<20 digits>.epoch-<n>`     | empty: the leader epoch that begins with this offset                   |
/// | `<id>.topic`                | empty: the id of the topic, whose name may be another topic's later    |
/// | `start-offset`              | the first readable offset, when records were deleted by request        |
/// | `compacted-offset`          | how far the log was compacted                                          |
/// | `*.tmp`                     | being written; worthless after a crash                                 |
/// | `*.deleted`                 | given up, waiting for its delayed deletion                             |
/// | `*.torn`                    | what recovery cut off although sound batches lay behind the flaw       |
/// | `*.cleaned`, `*.swap`       | the result of a compaction on its way in                               |
///
/// @param topic whose folder it is meant to be; null when that does not matter
public record LogFolder(Disk disk, String directory, @Nullable UUID topic) {
    public static final String LOG = ".log";
    public static final String INDEX = ".index";
    public static final String SNAPSHOT = ".snapshot";
    public static final String TEMPORARY = ".tmp";
    public static final String DELETED = ".deleted";
    public static final String TORN = ".torn";
    private static final int DIGITS = 20;

    public LogFolder(Disk disk, String directory) {
        this(disk, directory, null);
    }

    /// With the mark of its topic. Nothing happens when both are there.
    public void create() {
        disk.createDirectory(directory);
        if (topic != null) {
            TopicMark.set(this, topic);
        }
    }

    public String path(long offset, String suffix) {
        return directory + "/" + name(offset, suffix);
    }

    public String path(String name) {
        return directory + "/" + name;
    }

    public static String name(long offset, String suffix) {
        String digits = Long.toString(offset);
        return "0".repeat(DIGITS - digits.length()) + digits + suffix;
    }

    /// Of a segment in service.
    public static boolean isLog(String name) {
        return offsetIn(name, LOG).isPresent();
    }

    /// The offset in a name with exactly this suffix.
    public static OptionalLong offsetIn(String name, String suffix) {
        if (name.length() != DIGITS + suffix.length() || !name.endsWith(suffix)) {
            return OptionalLong.empty();
        }
        for (int i = 0; i < DIGITS; i++) {
            if (name.charAt(i) < '0' || name.charAt(i) > '9') {
                return OptionalLong.empty();
            }
        }
        try {
            return OptionalLong.of(Long.parseLong(name, 0, DIGITS, 10));
        } catch (NumberFormatException _) {
            return OptionalLong.empty(); // Twenty nines: more than a long holds.
        }
    }

    /// The offsets of all names with this suffix, in the order of the names.
    public static List<Long> offsetsIn(Collection<String> names, String suffix) {
        List<Long> offsets = new ArrayList<>();
        for (String name : names) {
            offsetIn(name, suffix).ifPresent(offsets::add);
        }
        return offsets;
    }

    /// Replaces a small file as a whole: after a crash there is the old or the new content, never a mixture.
    ///
    /// @param durable forces the content before the rename; the caller syncs the directory
    public void replace(String name, ByteBuffer content, boolean durable) {
        String temporary = path(name + TEMPORARY);
        disk.delete(temporary);
        try (DiskFile file = disk.open(temporary)) {
            file.write(content, 0);
            if (durable) {
                file.force();
            }
        }
        disk.rename(temporary, path(name));
    }

    /// Out of the way in one step; the physical deletion follows later. Nothing happens when absent.
    public void markDeleted(String name) {
        if (disk.exists(path(name))) {
            disk.rename(path(name), path(name + DELETED));
        }
    }

    public void sync() {
        disk.syncDirectory(directory);
    }

    /// Makes the folder's own name durable.
    public void syncParent() {
        disk.syncDirectory(parent());
    }

    public String parent() {
        int slash = directory.lastIndexOf('/');
        return slash < 0 ? "" : directory.substring(0, slash);
    }
}
