package io.sluice.chaos.place;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs a command of the operating system to its end.
///
/// Thread-safe: it has no state.
public final class Command {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private Command() {}

    /// Runs it and returns what it printed; throws with that when it fails.
    public static String run(String... words) {
        return run(List.of(words), "", LIMIT);
    }

    /// Runs it with a text as its input.
    public static String run(List<String> words, String input, Duration limit) {
        try {
            Path output = Files.createTempFile("sluice-chaos", ".out");
            try {
                Process process =
                        new ProcessBuilder(words)
                                .redirectErrorStream(true)
                                .redirectOutput(output.toFile())
                                .start();
                try (var stdin = process.getOutputStream()) {
                    stdin.write(input.getBytes(StandardCharsets.UTF_8));
                }
                boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
                if (!ended) {
                    process.destroyForcibly();
                }
                String printed = Files.readString(output, StandardCharsets.UTF_8);
                if (!ended || process.exitValue() != 0) {
                    throw new CommandFailed(
                            "%s of '%s': %s"
                                    .formatted(
                                            ended
                                                    ? "Exit code " + process.exitValue()
                                                    : "No end within " + limit,
                                            String.join(" ", words),
                                            printed.strip()));
                }
                return printed;
            } finally {
                Files.deleteIfExists(output);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot run " + words.getFirst(), failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for a command", interrupted);
        }
    }

    /// Runs it and tells whether it went well; for what may or may not be there.
    static boolean succeeds(String... words) {
        try {
            run(words);
            return true;
        } catch (CommandFailed | UncheckedIOException failed) {
            return false;
        }
    }
}
