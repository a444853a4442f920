package io.sluice.node;

import io.sluice.env.Disk;
import io.sluice.env.DiskFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The run of the machine, as far as it vouches for what is in its page cache: as long as it is the same, nothing that was written is lost, forced or not. Stateless.
///
/// Not so after a disk has failed: what could not be written back is marked clean all the same, and the system may forget it at any time. So that run is written down, and vouches for nothing until the machine is
/// started again.
final class VouchingBoot {
    private static final String FILE = "distrusted-boot";
    private static final int LONGEST = 64;

    private VouchingBoot() {}

    /// The present run, or null when it vouches for nothing. May block: at the start only.
    static @Nullable UUID find(Disk disk, @Nullable UUID present) {
        if (present == null || !disk.exists(FILE)) {
            return present;
        }
        UUID distrusted = read(disk);
        return distrusted == null || distrusted.equals(present) ? null : present;
    }

    /// Null when the note is unreadable: it may be about the present run.
    private static @Nullable UUID read(Disk disk) {
        try (DiskFile file = disk.openForReading(FILE)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(LONGEST, file.size()));
            file.read(bytes, 0);
            return UUID.fromString(StandardCharsets.UTF_8.decode(bytes.flip()).toString().strip());
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    /// On a worker.
    static boolean distrust(Disk disk, UUID boot) {
        try (DiskFile file = disk.open(FILE)) {
            file.truncate(0);
            file.write(ByteBuffer.wrap((boot + "\n").getBytes(StandardCharsets.UTF_8)), 0);
            file.force();
        }
        disk.syncDirectory("");
        return true;
    }
}
