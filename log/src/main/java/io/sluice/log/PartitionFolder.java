package io.sluice.log;

import io.sluice.env.Disk;
import io.sluice.log.segment.LogFolder;
import io.sluice.log.segment.TopicMark;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The end of a whole partition, and what is left of an earlier one. Blocking: runs on a worker, while nobody has the log open.
public final class PartitionFolder {
    private static final String STRAY = ".stray";

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

    /// True of a folder that says that it belongs to another topic of this name.
    public static boolean isAnothers(LogFolder folder) {
        return findOther(folder) != null;
    }

    private static @Nullable UUID findOther(LogFolder folder) {
        UUID mark = TopicMark.find(folder.disk().list(folder.directory()));
        return mark == null || mark.equals(folder.topic()) ? null : mark;
    }

    /// Gives a folder that belongs to an earlier topic of this name another name, in one durable step: whoever reads this topic must not be shown that one's records. Nobody looks at it any more, and nobody removes it, as
    /// it is not known who has deleted that topic.
    ///
    /// What is written down of it must have been forgotten, durably: where the folder is gone, nothing tells any more whose that was.
    ///
    /// @return the new name, when there was such a folder
    public static Optional<String> setAside(LogFolder folder) {
        UUID mark = findOther(folder);
        if (mark == null) {
            return Optional.empty();
        }
        String index = folder.directory().substring(folder.directory().lastIndexOf('-') + 1);
        String renamed = mark + "-" + index + STRAY;
        while (folder.disk().exists(renamed)) {
            renamed += "+";
        }
        folder.disk().rename(folder.directory(), renamed);
        folder.syncParent();
        return Optional.of(renamed);
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
