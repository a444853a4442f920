package io.sluice.cli.doctor;

import com.sun.management.UnixOperatingSystemMXBean;
import io.sluice.cli.output.HumanText;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// What this machine offers to a broker.
///
/// Stateless.
final class MachineChecks {
    private static final int JAVA_NEEDED = 25;
    private static final long FILES_WANTED = 65_536;
    private static final long SPACE_WANTED = 10L << 30;
    private static final long SPACE_NEEDED = 1L << 30;

    private final Path data;

    MachineChecks(Path data) {
        this.data = data;
    }

    List<Finding> run() {
        return List.of(java(Runtime.version().feature()), openFiles(), disk());
    }

    static Finding java(int version) {
        return version >= JAVA_NEEDED
                ? Finding.ok("java", "Java " + version)
                : Finding.problem(
                        "java",
                        "Java " + version + ", but the broker needs " + JAVA_NEEDED,
                        "Install a JDK 25 or newer and point JAVA_HOME at it.");
    }

    private static Finding openFiles() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof UnixOperatingSystemMXBean unix
                ? openFiles(unix.getMaxFileDescriptorCount())
                : Finding.skipped("open files", "this system has no limit to ask for", "");
    }

    static Finding openFiles(long limit) {
        String detail = HumanText.grouped(limit) + " files may be open";
        return limit >= FILES_WANTED
                ? Finding.ok("open files", detail)
                : Finding.warning(
                        "open files",
                        detail + ", which many partitions or connections can use up",
                        "Raise it before starting the broker: 'ulimit -n "
                                + FILES_WANTED
                                + "', or LimitNOFILE in a systemd unit.");
    }

    private Finding disk() {
        try {
            Path existing = data.toAbsolutePath();
            while (existing.getParent() != null && !Files.exists(existing)) {
                existing = existing.getParent();
            }
            if (!Files.isWritable(existing)) {
                return Finding.problem(
                        "disk",
                        existing + " is not writable by this user",
                        "Give the broker a directory of its own with --data, or change the owner.");
            }
            FileStore store = Files.getFileStore(existing);
            return disk(existing, store.getUsableSpace(), store.getTotalSpace());
        } catch (IOException e) {
            return Finding.skipped(
                    "disk",
                    "cannot look at " + data + ": " + e.getMessage(),
                    "Say with --data where the broker keeps its data.");
        }
    }

    static Finding disk(Path where, long usable, long total) {
        String detail =
                "%s of %s free at %s"
                        .formatted(HumanText.size(usable), HumanText.size(total), where);
        String fix =
                "Free some space, lower retention.ms or retention.bytes, or move the data directory.";
        if (usable < SPACE_NEEDED) {
            return Finding.problem("disk", detail, fix);
        }
        return usable < SPACE_WANTED || usable < total / 20
                ? Finding.warning("disk", detail, fix)
                : Finding.ok("disk", detail);
    }
}
