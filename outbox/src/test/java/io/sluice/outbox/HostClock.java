package io.sluice.outbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// A host's wall clock that can be set while a process runs: `libfaketime` in front of the C library. What only goes forward stays as it is.
final class HostClock {
    private static final Path LIBRARIES = Path.of("/usr/lib");

    private final Path library;
    private final Path file;

    private HostClock(Path library, Path file) {
        this.library = library;
        this.file = file;
    }

    /// @return empty on a machine without the library (Debian: package `libfaketime`)
    static Optional<HostClock> in(Path folder) throws IOException {
        Optional<Path> library;
        try (Stream<Path> files =
                Files.find(
                        LIBRARIES, 3, (path, _) -> path.endsWith("faketime/libfaketimeMT.so.1"))) {
            library = files.findFirst();
        }
        return library.map(
                found -> {
                    HostClock clock = new HostClock(found, folder.resolve("clock"));
                    clock.set(Duration.ZERO);
                    return clock;
                });
    }

    Map<String, String> environment() {
        return Map.of(
                "LD_PRELOAD", library.toString(),
                "FAKETIME_TIMESTAMP_FILE", file.toString(),
                "FAKETIME_CACHE_DURATION", "1",
                "FAKETIME_DONT_FAKE_MONOTONIC", "1",
                // Otherwise every timed wait of the virtual machine ends at once.
                "FAKETIME_FORCE_MONOTONIC_FIX", "0");
    }

    /// Off by so much from now on.
    void set(Duration off) {
        try {
            Path written = Files.writeString(file.resolveSibling("next"), text(off));
            Files.move(
                    written,
                    file,
                    java.nio.file.StandardCopyOption.ATOMIC_MOVE,
                    java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Duration off) {
        return (off.isNegative() ? "" : "+") + off.toSeconds() + "\n";
    }
}
