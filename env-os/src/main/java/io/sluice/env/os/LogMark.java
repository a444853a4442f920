package io.sluice.env.os;

import io.sluice.env.Disk;
import io.sluice.env.DiskFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// Says in the folder of the partitions whose it is: the file `owner` there, with the lines `node.id` and `created` of the file `format`.
///
/// Partitions often have a disk of their own. When that is not mounted there is an empty folder in its place, and a broker that took it for its data would be elected with nothing in it. Stateless.
final class LogMark {
    static final String FILE = "owner";

    private static final String PATH = DataDirectory.LOG + "/" + FILE;
    private static final int LARGEST_FILE_BYTES = 4096;

    private LogMark() {}

    /// Refuses a folder that is not the one that was marked; marks it when none was, as in a directory that is new or older than marks.
    static DataFormat check(Disk disk, DataFormat format, String where) {
        String expected = text(format);
        boolean marked = disk.exists(PATH);
        if (marked && !read(disk).equals(expected)) {
            throw new UnusableDataDirectory(
                    "The folder "
                            + where
                            + "/"
                            + DataDirectory.LOG
                            + " belongs to another data directory ("
                            + read(disk).strip().replace('\n', ' ')
                            + "), this one is "
                            + expected.strip().replace('\n', ' ')
                            + ". Mount the disk that belongs here.");
        }
        if (!marked && format.logMarked()) {
            throw new UnusableDataDirectory(
                    "The folder "
                            + where
                            + "/"
                            + DataDirectory.LOG
                            + " has lost its file "
                            + FILE
                            + ": it is not the one that this broker has kept its partitions in. If that is on"
                            + " a disk of its own, mount it. "
                            + remedy(disk, expected, where));
        }
        disk.createDirectory(DataDirectory.LOG);
        if (!marked) {
            write(disk, expected);
        }
        return format.logMarked() ? format : format.marked();
    }

    /// What a single node has decided about its topics is in the directory; a cluster that was one may have kept it.
    private static String remedy(Disk disk, String expected, String where) {
        String among =
                "delete all of "
                        + where
                        + ": the broker then comes back as one without data, and is filled from the others.";
        return disk.list(DataDirectory.META).isEmpty()
                ? "If it is lost, " + among
                : "If it is lost, and this is one of several brokers, "
                        + among
                        + " A single node has no others: what was in its partitions is lost. To go on with its topics, empty, write these lines into "
                        + where
                        + "/"
                        + PATH
                        + ": "
                        + expected.strip().replace('\n', ' ')
                        + ".";
    }

    private static String text(DataFormat format) {
        return "node.id=" + format.nodeId() + "\ncreated=" + format.created() + "\n";
    }

    private static String read(Disk disk) {
        try (DiskFile file = disk.openForReading(PATH)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(file.size(), LARGEST_FILE_BYTES));
            file.read(bytes, 0);
            return StandardCharsets.UTF_8.decode(bytes.flip()).toString();
        }
    }

    /// Durable when this returns.
    private static void write(Disk disk, String text) {
        String temporary = PATH + ".new";
        disk.delete(temporary);
        try (DiskFile file = disk.open(temporary)) {
            file.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
            file.force();
        }
        disk.rename(temporary, PATH);
        disk.syncDirectory(DataDirectory.LOG);
        disk.syncDirectory("");
    }
}
