package io.sluice.node;

import io.sluice.env.Disk;
import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Remembers which processes have run on this data directory, so that what one of them has left in the metadata store is told from the registration of a broker that runs on a copy of the directory. Stateless.
///
/// A line for each, the newest last, in the file `incarnations`. Several, because a process may be killed before it has registered: then the one before it has left something still. Not many: what a process has
/// left lives as long as its session.
final class Incarnations {
    private static final Logger LOG = LoggerFactory.getLogger(Incarnations.class);

    private static final String FILE = "incarnations";
    private static final String UNFINISHED = "incarnations.new";
    private static final int KEPT = 64;
    private static final int LONGEST = 8 << 10;

    private Incarnations() {}

    /// Those that were noted before; null when there is no such note. This one is noted when it returns, before anything is registered in its name. May block: at the start only.
    static @Nullable Set<UUID> take(Disk disk, UUID own) {
        boolean noted = disk.exists(FILE);
        List<UUID> known = noted ? read(disk) : new ArrayList<>();
        Set<UUID> former = noted ? new HashSet<>(known) : null;
        known.add(own);
        try {
            write(disk, known.subList(Math.max(0, known.size() - KEPT), known.size()));
        } catch (DiskException failure) {
            LOG.warn(
                    "Without a note of this process the next start after a crash waits until its session with the metadata store has ended: {}",
                    failure.getMessage());
        }
        return former;
    }

    /// What cannot be understood is nobody's.
    private static List<UUID> read(Disk disk) {
        List<UUID> known = new ArrayList<>();
        try (DiskFile file = disk.openForReading(FILE)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(LONGEST, file.size()));
            file.read(bytes, 0);
            for (String line :
                    StandardCharsets.UTF_8.decode(bytes.flip()).toString().lines().toList()) {
                try {
                    known.add(UUID.fromString(line.strip()));
                } catch (IllegalArgumentException _) {
                    LOG.warn("The file {} has a line that names no process: '{}'", FILE, line);
                }
            }
        }
        return known;
    }

    /// Never half of it: in the place of the old file when it is whole.
    private static void write(Disk disk, List<UUID> known) {
        StringBuilder text = new StringBuilder();
        known.forEach(one -> text.append(one).append('\n'));
        try (DiskFile file = disk.open(UNFINISHED)) {
            file.truncate(0);
            file.write(ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)), 0);
            file.force();
        }
        disk.rename(UNFINISHED, FILE);
        disk.syncDirectory("");
    }
}
