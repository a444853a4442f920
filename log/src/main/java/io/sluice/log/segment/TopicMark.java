package io.sluice.log.segment;

import java.util.Collection;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Which topic a folder belongs to, kept as the name of an empty file: `<id>.topic`. Blocking.
///
/// A folder is named after its topic, and another topic may have that name later: on a broker that was away when the first one was deleted, the folder may be there still, and its offsets and epochs look like those
/// of the new one. Like the names of epochs it is durable with the directory, before the first record is acknowledged.
public final class TopicMark {
    private static final String SUFFIX = ".topic";

    private TopicMark() {}

    /// Null in a folder of a version that had no marks, or in none.
    public static @Nullable UUID find(Collection<String> names) {
        for (String name : names) {
            if (name.endsWith(SUFFIX)) {
                try {
                    return UUID.fromString(name.substring(0, name.length() - SUFFIX.length()));
                } catch (IllegalArgumentException _) {
                    // Somebody else's file.
                }
            }
        }
        return null;
    }

    /// The caller syncs the directory before anything is acknowledged.
    public static void set(LogFolder folder, UUID topic) {
        folder.disk().open(folder.path(topic + SUFFIX)).close();
    }
}
