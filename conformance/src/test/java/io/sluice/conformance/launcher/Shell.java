package io.sluice.conformance.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/// Where somebody types: a folder, an environment of which nothing is inherited, and what comes back on both streams.
///
/// Immutable.
public record Shell(Path folder, Map<String, String> environment) {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    public Shell {
        environment = Map.copyOf(environment);
    }

    public Shell with(String variable, String value) {
        Map<String, String> all = new HashMap<>(environment);
        all.put(variable, value);
        return new Shell(folder, all);
    }

    Shell without(String variable) {
        Map<String, String> all = new HashMap<>(environment);
        all.remove(variable);
        return new Shell(folder, all);
    }

    public Shell in(Path other) {
        return new Shell(other, environment);
    }

    /// What a command left behind.
    public record Result(int exitCode, String out, String err) {}

    /// Runs a command to its end.
    public Result run(List<String> command) {
        try (Running running = start(command)) {
            return running.await();
        }
    }

    Running start(List<String> command) {
        try {
            Path out = Files.createTempFile("sluice-out", ".log");
            Path err = Files.createTempFile("sluice-err", ".log");
            ProcessBuilder builder =
                    new ProcessBuilder(command)
                            .directory(folder.toFile())
                            .redirectInput(Path.of("/dev/null").toFile())
                            .redirectOutput(out.toFile())
                            .redirectError(err.toFile());
            builder.environment().clear();
            builder.environment().putAll(environment);
            return new Running(command, builder.start(), out, err);
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot run " + command, failure);
        }
    }

    /// A command that runs. Owned by the test that started it; closing it kills it.
    record Running(List<String> command, Process process, Path outFile, Path errFile)
            implements AutoCloseable {
        Result await() {
            try {
                if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                    throw new AssertionError("No end of " + command + ":\n" + out() + err());
                }
                return new Result(process.exitValue(), out(), err());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("Interrupted", interrupted);
            }
        }

        /// Waits until this stands in what it prints to stdout; fails when it ends before that.
        void awaitOut(Predicate<String> wanted) {
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (!wanted.test(out())) {
                if (!process.isAlive() || System.nanoTime() > deadline) {
                    throw new AssertionError(
                            command + " did not print what was waited for:\n" + out() + err());
                }
                pause();
            }
        }

        /// Asks it to stop (SIGTERM) and waits for its end.
        Result stop() {
            process.destroy();
            return await();
        }

        String out() {
            return text(outFile);
        }

        String err() {
            return text(errFile);
        }

        private static String text(Path file) {
            try {
                return Files.readString(file, StandardCharsets.UTF_8);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        @Override
        public void close() {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            try {
                process.waitFor();
                Files.deleteIfExists(outFile);
                Files.deleteIfExists(errFile);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }

    static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", interrupted);
        }
    }
}
