package io.sluice.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Wall clocks jump; leases, pauses and windows must not. So nothing here looks at one.
class ClockTest {
    private static final Pattern WALL_CLOCK =
            Pattern.compile(
                    "currentTimeMillis|Instant\\.now|new Date\\(|LocalDateTime\\.now|Clock\\.system");

    @Test
    void onlyTheTimeInATableIsWallClockTime() throws IOException {
        Path sources = Path.of(System.getProperty("basedir", "."), "src/main/java");
        try (Stream<Path> files = Files.walk(sources)) {
            List<String> looking =
                    files.filter(file -> file.toString().endsWith(".java"))
                            .filter(ClockTest::looksAtAWallClock)
                            .map(file -> file.getFileName().toString())
                            .toList();
            assertThat(looking).containsExactly("OnceTable.java");
        }
    }

    private static boolean looksAtAWallClock(Path file) {
        try {
            return WALL_CLOCK.matcher(Files.readString(file)).find();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
