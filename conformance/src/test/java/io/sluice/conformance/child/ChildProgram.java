package io.sluice.conformance.child;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A command that runs as a process of its own, with input from a text and all its output kept.
///
/// Immutable.
public record ChildProgram(List<String> command, Path folder, String input) {

    public ChildProgram {
        command = List.copyOf(command);
    }

    public static ChildProgram of(List<String> command) {
        return new ChildProgram(command, ClientLibraries.module(), "");
    }

    /// A Java program on a class path; small and quick to start, because there are many of them.
    public static ChildProgram java(String classPath, String program, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of("--sun-misc-unsafe-memory-access=allow"));
        command.addAll(List.of("-cp", classPath, program));
        command.addAll(List.of(arguments));
        return of(command);
    }

    /// Whether a command is installed on this machine.
    public static boolean isInstalled(String name) {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(":")) {
            if (Files.isExecutable(Path.of(folder, name))) {
                return true;
            }
        }
        return false;
    }

    public ChildProgram withInput(String text) {
        return new ChildProgram(command, folder, text);
    }

    public ChildProgram in(Path otherFolder) {
        return new ChildProgram(command, otherFolder, input);
    }

    /// What a finished program left behind.
    public record Result(List<String> command, int exitCode, String output) {
        public Result requireSuccess() {
            if (exitCode != 0) {
                throw new AssertionError(
                        "Exit code %d of %s:\n%s"
                                .formatted(exitCode, String.join(" ", command), output));
            }
            return this;
        }

        public List<String> lines() {
            return output.lines().toList();
        }
    }

    /// Runs it to its end; past the limit it is killed and the test fails with what it has printed.
    public Result run(Duration limit) {
        try (Running running = start()) {
            return running.await(limit);
        }
    }

    /// Starts it and leaves it running.
    public Running start() {
        try {
            Path output = Files.createTempFile("sluice-child", ".log");
            Process process =
                    new ProcessBuilder(command)
                            .directory(folder.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            try (var standardInput = process.getOutputStream()) {
                standardInput.write(input.getBytes(StandardCharsets.UTF_8));
            }
            return new Running(command, process, output);
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot run " + command.getFirst(), failure);
        }
    }

    /// A program that runs. Owned by the test that started it; closing it kills it.
    public static final class Running implements AutoCloseable {
        private final List<String> command;
        private final Process process;
        private final Path output;

        private Running(List<String> command, Process process, Path output) {
            this.command = command;
            this.process = process;
            this.output = output;
        }

        public Result await(Duration limit) {
            try {
                if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                    kill();
                    throw new AssertionError(
                            "No end within %s of %s:\n%s"
                                    .formatted(limit, String.join(" ", command), output()));
                }
                return new Result(command, process.exitValue(), output());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("Interrupted", interrupted);
            }
        }

        /// What it has printed so far.
        public String output() {
            try {
                return Files.readString(output, StandardCharsets.UTF_8);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        public boolean isAlive() {
            return process.isAlive();
        }

        /// Asks it to end (SIGTERM).
        public void stop() {
            process.destroy();
        }

        /// Kills it (SIGKILL) with all that it has started.
        public void kill() {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            try {
                process.waitFor();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            kill();
            try {
                Files.deleteIfExists(output);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }
}
