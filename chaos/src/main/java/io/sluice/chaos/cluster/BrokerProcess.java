package io.sluice.chaos.cluster;

import io.sluice.chaos.place.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// One broker's process through all its lives: started, asked to stop, killed, frozen, started again at the same address on the same data.
///
/// ```
/// down ──start──▶ up ──pause──▶ frozen
///   ▲              │ ◀─resume──   │
///   └──stop, kill──┴──────kill────┘
/// ```
///
/// Owned by the campaign's thread.
public final class BrokerProcess {
    private static final Duration END_LIMIT = Duration.ofSeconds(60);

    private final int id;
    private final List<String> command;
    private final Map<String, String> environment;
    private final Path output;
    private @Nullable Process process;
    private boolean wanted;
    private boolean frozen;

    BrokerProcess(int id, List<String> command, Map<String, String> environment, Path output) {
        this.id = id;
        this.command = List.copyOf(command);
        this.environment = Map.copyOf(environment);
        this.output = output;
    }

    public int id() {
        return id;
    }

    /// Starts it and does not wait.
    public void start() {
        if (isAlive()) {
            return;
        }
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(Redirect.appendTo(output.toFile()));
        builder.environment().putAll(environment);
        try {
            process = builder.start();
            wanted = true;
            frozen = false;
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot start broker " + id, failure);
        }
    }

    /// Asks it to stop (SIGTERM) and waits for its end; one that does not end is killed. Returns how long it took.
    public Duration stop() {
        wanted = false;
        long asked = System.nanoTime();
        Process current = process;
        if (current != null && current.isAlive()) {
            resume();
            current.destroy();
            awaitEnd(current);
        }
        return Duration.ofNanos(System.nanoTime() - asked);
    }

    /// Kills it (SIGKILL): it gets no chance to tell anyone.
    public void kill() {
        wanted = false;
        Process current = process;
        if (current != null && current.isAlive()) {
            current.destroyForcibly();
            awaitEnd(current);
        }
        frozen = false;
    }

    /// Kills several in the same moment.
    public static void killTogether(List<BrokerProcess> several) {
        several.forEach(
                broker -> {
                    Process current = broker.process;
                    if (current != null) {
                        current.destroyForcibly();
                    }
                });
        several.forEach(BrokerProcess::kill);
    }

    /// Freezes it (SIGSTOP): its connections stay open, and nobody answers on them.
    public void pause() {
        Process current = process;
        if (current != null && current.isAlive()) {
            Command.run("kill", "-STOP", Long.toString(current.pid()));
            frozen = true;
        }
    }

    /// Lets it go on (SIGCONT), unaware of the time that has passed.
    public void resume() {
        Process current = process;
        if (frozen && current != null && current.isAlive()) {
            Command.run("kill", "-CONT", Long.toString(current.pid()));
        }
        frozen = false;
    }

    public boolean isAlive() {
        return process != null && process.isAlive();
    }

    /// Ended by itself, without having been asked to; what it printed may tell why.
    public boolean hasDied() {
        return wanted && !isAlive();
    }

    /// Whether it ends by itself, now or within the limit. That it does is no surprise then.
    public boolean awaitOwnEnd(Duration limit) {
        wanted = false;
        Process current = process;
        try {
            return current == null || current.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while a broker was to end", interrupted);
        }
    }

    /// The last lines that it printed.
    public String lastOutput(int lines) {
        try (Stream<String> all = Files.lines(output)) {
            List<String> printed = all.toList();
            return String.join(
                    "\n", printed.subList(Math.max(0, printed.size() - lines), printed.size()));
        } catch (IOException unreadable) {
            return "(no output in " + output + ")";
        }
    }

    public Path output() {
        return output;
    }

    private void awaitEnd(Process current) {
        try {
            if (!current.waitFor(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                current.destroyForcibly();
                current.waitFor();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while a broker ended", interrupted);
        }
    }
}
