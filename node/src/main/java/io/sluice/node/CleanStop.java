package io.sluice.node;

import io.sluice.controller.Registration;
import io.sluice.env.Disk;
import io.sluice.env.DiskFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// Remembers that the last run ended in order, and under which broker epoch: then nothing was lost that was in the page cache alone. Stateless.
///
/// The note is taken away before anything is written, so that a crash cannot leave it behind.
final class CleanStop {
    private static final String FILE = "clean-stop";
    private static final int LONGEST = 64;

    private CleanStop() {}

    /// The broker epoch in which the last run was closed, or [Registration#UNCLEAN]. May block: at the start only.
    static long take(Disk disk) {
        if (!disk.exists(FILE)) {
            return Registration.UNCLEAN;
        }
        long epoch = read(disk);
        disk.delete(FILE);
        disk.syncDirectory("");
        return epoch;
    }

    private static long read(Disk disk) {
        try (DiskFile file = disk.openForReading(FILE)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(LONGEST, file.size()));
            file.read(bytes, 0);
            return Long.parseLong(StandardCharsets.UTF_8.decode(bytes.flip()).toString().trim());
        } catch (NumberFormatException _) {
            return Registration.UNCLEAN;
        }
    }

    /// On a worker, when all else is closed.
    static boolean leave(Disk disk, long epoch) {
        try (DiskFile file = disk.open(FILE)) {
            file.truncate(0);
            file.write(ByteBuffer.wrap((epoch + "\n").getBytes(StandardCharsets.UTF_8)), 0);
            file.force();
        }
        disk.syncDirectory("");
        return true;
    }
}
