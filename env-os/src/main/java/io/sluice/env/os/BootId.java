package io.sluice.env.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Which run of the operating system this is. As long as it is the same, what programs have written is still there, whether it was forced to the disk or not. Stateless.
public final class BootId {
    private static final Path LINUX = Path.of("/proc/sys/kernel/random/boot_id");

    private BootId() {}

    /// Null where the system does not say. May block: at the start only.
    public static @Nullable UUID find() {
        return read(LINUX);
    }

    static @Nullable UUID read(Path file) {
        try {
            return UUID.fromString(Files.readString(file).strip());
        } catch (IOException | IllegalArgumentException _) {
            return null;
        }
    }
}
