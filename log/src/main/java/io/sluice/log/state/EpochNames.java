package io.sluice.log.state;

import io.sluice.log.segment.LogFolder;
import io.sluice.log.state.LeaderEpochs.Entry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Which leader epoch begins where, kept as the names of empty files: `<20 digits>.epoch-7`. Blocking.
///
/// A batch carries its epoch, but no checksum covers it: this is the second witness. A name needs no force of its own, it is durable with the directory
/// before the first batch of the epoch is acknowledged, and it is read with the listing that opening a log needs anyway. Once two snapshots know an epoch its
/// name goes.
public final class EpochNames {
    private static final String SUFFIX = ".epoch-";

    private EpochNames() {}

    /// Ascending.
    public static List<Entry> in(Collection<String> names) {
        List<Entry> entries = new ArrayList<>(1);
        for (String name : names) {
            Entry entry = parse(name);
            if (entry != null) {
                entries.add(entry);
            }
        }
        entries.sort(Comparator.comparingLong(Entry::startOffset).thenComparingInt(Entry::epoch));
        return entries;
    }

    private static @Nullable Entry parse(String name) {
        int dot = name.indexOf(SUFFIX);
        if (dot < 0) {
            return null;
        }
        String suffix = name.substring(dot);
        OptionalLong offset = LogFolder.offsetIn(name, suffix);
        try {
            int epoch = Integer.parseInt(suffix, SUFFIX.length(), suffix.length(), 10);
            return offset.isEmpty() || epoch < 0 ? null : new Entry(epoch, offset.getAsLong());
        } catch (NumberFormatException _) {
            return null;
        }
    }

    /// The caller syncs the directory before it acknowledges.
    public static void create(LogFolder folder, Entry entry) {
        folder.disk().open(path(folder, entry)).close();
    }

    /// Forgets what begins before an offset: two snapshots know it.
    static void forgetBelow(LogFolder folder, Collection<String> names, long offset) {
        for (Entry entry : in(names)) {
            if (entry.startOffset() < offset) {
                folder.disk().delete(path(folder, entry));
            }
        }
    }

    /// Forgets what begins at or behind an offset: the log was cut there. True when there was something; the caller syncs the directory.
    public static boolean forgetFrom(LogFolder folder, Collection<String> names, long offset) {
        boolean some = false;
        for (Entry entry : in(names)) {
            if (entry.startOffset() >= offset) {
                folder.disk().delete(path(folder, entry));
                some = true;
            }
        }
        return some;
    }

    private static String path(LogFolder folder, Entry entry) {
        return folder.path(entry.startOffset(), SUFFIX + entry.epoch());
    }
}
