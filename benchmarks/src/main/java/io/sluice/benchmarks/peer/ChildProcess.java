package io.sluice.benchmarks.peer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs a command to its end and complains with its output when it fails.
final class ChildProcess {
    private ChildProcess() {}

    static void run(List<String> command, Duration limit) {
        try {
            Path output = Files.createTempFile("sluice-bench", ".log");
            try {
                Process process =
                        new ProcessBuilder(command)
                                .redirectErrorStream(true)
                                .redirectOutput(output.toFile())
                                .start();
                boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
                if (!ended) {
                    process.destroyForcibly();
                }
                if (!ended || process.exitValue() != 0) {
                    throw new IllegalStateException(
                            (ended ? "Exit code " + process.exitValue() : "No end within " + limit)
                                    + " of: "
                                    + String.join(" ", command)
                                    + "\n"
                                    + Files.readString(output, StandardCharsets.UTF_8));
                }
            } finally {
                Files.deleteIfExists(output);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot run " + command.getFirst(), failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for a command", interrupted);
        }
    }
}
