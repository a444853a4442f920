package io.sluice.log;

import io.sluice.env.Disk;
import io.sluice.log.segment.LogFolder;

/// The end of a whole partition. Blocking: runs on a worker, after the log was closed or abandoned.
public final class PartitionFolder {
    private PartitionFolder() {}

    /// Gives the folder another name in one durable step; returns it for [#remove]. Nothing happens when there is no folder.
    ///
    /// @param unique the new name; not made of the old one, which may be as long as names can be
    public static String markDeleted(Disk disk, String directory, String unique) {
        String renamed = unique + LogFolder.DELETED;
        if (disk.exists(directory)) {
            disk.rename(directory, renamed);
            new LogFolder(disk, directory).syncParent();
        }
        return renamed;
    }

    /// True for what [#markDeleted] left behind, to be removed at the next start.
    public static boolean isDeleted(String directoryName) {
        return directoryName.endsWith(LogFolder.DELETED);
    }

    /// Gives the room back.
    public static void remove(Disk disk, String renamed) {
        disk.delete(renamed);
    }
}
