package io.sluice.node;

import io.sluice.env.Disk;
import io.sluice.env.DiskException;
import io.sluice.env.DiskFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The run of the machine, as far as it vouches for what is in its page cache: as long as it is the same, nothing that was written is lost, forced or not. Stateless.
///
/// Not so after a disk has failed: what could not be written back is marked clean all the same, and the system may forget it at any time. Such a run vouches for nothing until the machine is started again.
///
/// A disk that fails may be full as well. So what has to be said then is written at the start, and only gets another name when it becomes true, in the place of a file that is there already: that takes no room.
///
/// | `vouching-boot` | `distrusted-boot` | the present run |
/// | --- | --- | --- |
/// | the present run | another one, or nobody's | vouches |
/// | another one, none | another one, nobody's, none | vouches, and that is noted: the machine was started again, or the folder is new, or an older version has used it |
/// | any | the present run, unreadable | does not: the disk has failed in it |
final class VouchingBoot {
    private static final Logger LOG = LoggerFactory.getLogger(VouchingBoot.class);

    private static final String VOUCHING = "vouching-boot";
    private static final String DISTRUSTED = "distrusted-boot";
    private static final String UNFINISHED = "distrusted-boot.new";

    /// No machine's.
    private static final UUID NOBODYS = new UUID(0, 0);

    private static final int LONGEST = 64;

    private VouchingBoot() {}

    /// The present run, or null when it vouches for nothing. May block: at the start only.
    static @Nullable UUID take(Disk disk, @Nullable UUID present) {
        if (present == null || isDistrusted(disk, present)) {
            return null;
        }
        return present.equals(find(disk, VOUCHING)) || isNoted(disk, present) ? present : null;
    }

    /// A note that cannot be read may be about the present run.
    private static boolean isDistrusted(Disk disk, UUID present) {
        if (!disk.exists(DISTRUSTED)) {
            return false;
        }
        UUID distrusted = find(disk, DISTRUSTED);
        return distrusted == null || distrusted.equals(present);
    }

    private static boolean isNoted(Disk disk, UUID present) {
        try {
            if (!disk.exists(DISTRUSTED)) {
                // Never half of it: what cannot be read is taken for the present run's.
                write(disk, UNFINISHED, NOBODYS);
                disk.rename(UNFINISHED, DISTRUSTED);
            }
            write(disk, VOUCHING, present);
            disk.syncDirectory("");
            return true;
        } catch (DiskException failure) {
            LOG.warn(
                    "Without a note of the machine's run this broker will not be trusted, after a crash, with what is in the page cache alone: {}",
                    failure.getMessage());
            return false;
        }
    }

    /// Null when it is not there or cannot be understood.
    private static @Nullable UUID find(Disk disk, String name) {
        if (!disk.exists(name)) {
            return null;
        }
        try (DiskFile file = disk.openForReading(name)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(LONGEST, file.size()));
            file.read(bytes, 0);
            return UUID.fromString(StandardCharsets.UTF_8.decode(bytes.flip()).toString().strip());
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    /// Over what is there, which is as long.
    private static void write(Disk disk, String name, UUID boot) {
        try (DiskFile file = disk.open(name)) {
            ByteBuffer text = ByteBuffer.wrap((boot + "\n").getBytes(StandardCharsets.UTF_8));
            long size = text.remaining();
            file.write(text, 0);
            file.truncate(size);
            file.force();
        }
    }

    /// On a worker, when the disk has failed.
    ///
    /// @param noted whether [#take] has named the run
    static boolean distrust(Disk disk, UUID boot, boolean noted) {
        if (noted) {
            disk.rename(VOUCHING, DISTRUSTED);
        } else {
            write(disk, DISTRUSTED, boot);
        }
        disk.syncDirectory("");
        return true;
    }
}
