package io.sluice.outbox.bench.stage;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A process that says `ready` and then answers lines.
///
/// Owned by the thread that measures.
public final class HostProcess implements AutoCloseable {
    private static final List<String> FLAGS =
            List.of(
                    "-XX:+UseSerialGC",
                    "-Xmx512m",
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow");

    private final Process process;
    private final BufferedReader lines;
    private final Writer commands;

    private HostProcess(Process process) {
        this.process = process;
        this.lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        this.commands = process.outputWriter(StandardCharsets.UTF_8);
    }

    /// With this JVM's class path.
    static HostProcess ours(Class<?> main, List<String> arguments) {
        return start(System.getProperty("java.class.path"), main.getName(), arguments);
    }

    static HostProcess foreign(Path libraries, String main, List<String> arguments) {
        return start(libraries + File.separator + "*", main, arguments);
    }

    private static HostProcess start(String classPath, String main, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        command.addAll(List.of("-cp", classPath, main));
        command.addAll(arguments);
        try {
            return new HostProcess(
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// @return what it said behind `ready`
    String awaitReady() {
        return awaitLine("ready").substring("ready".length()).strip();
    }

    /// What a contender has done since its start.
    ///
    /// @param published per relay
    public record Stats(long statements, long emptyPolls, List<Long> published) {
        public long total() {
            return published.stream().mapToLong(Long::longValue).sum();
        }
    }

    public Stats stats() {
        say("stats");
        String[] words = awaitLine("stats").split(" ");
        List<Long> published = new ArrayList<>();
        for (int i = 3; i < words.length; i++) {
            published.add(Long.valueOf(words[i]));
        }
        return new Stats(Long.parseLong(words[1]), Long.parseLong(words[2]), published);
    }

    /// So many events have been committed.
    public void go(long events) {
        say("go " + events);
    }

    private void say(String line) {
        try {
            commands.write(line + "\n");
            commands.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String awaitLine(String word) {
        try {
            String line = lines.readLine();
            while (line != null && !line.startsWith(word)) {
                line = lines.readLine();
            }
            if (line == null) {
                throw new IllegalStateException("the process ended before it said '" + word + "'");
            }
            return line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// SIGKILL.
    public void kill() {
        process.destroyForcibly();
        join();
    }

    /// SIGSTOP: nobody answers any more, and nobody is told, as when a host is lost.
    public void freeze() {
        try {
            new ProcessBuilder("kill", "-STOP", Long.toString(process.pid())).start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean join() {
        try {
            return process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /// In order, if it takes not too long.
    @Override
    public void close() {
        if (process.isAlive()) {
            try {
                commands.write("quit\n");
                commands.close();
            } catch (IOException e) {
                process.destroyForcibly();
            }
            if (!join()) {
                kill();
            }
        }
    }
}
