package io.sluice.conformance.broker;

import io.sluice.testing.SteadyPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.jspecify.annotations.Nullable;

/// A broker's process on a folder of its own, through all its lives: started, asked to stop, killed, started again on the same data and the same port.
///
/// Owned by the test that made it. Closing it kills what still runs.
public final class SluiceProcess implements AutoCloseable {
    private static final Duration READY_LIMIT = Duration.ofMinutes(10);
    private static final Duration STOP_LIMIT = Duration.ofMinutes(10);

    private final BrokerCommand command;
    private final Path folder;
    private final Broker broker;
    private final int adminPort;
    private final List<String> more;
    private @Nullable Process process;

    /// Prepares a broker that keeps everything below this folder; nothing runs yet.
    public SluiceProcess(Path folder) {
        this(folder, List.of());
    }

    /// The same with more flags.
    public SluiceProcess(Path folder, List<String> more) {
        this.more = List.copyOf(more);
        BrokerCommand found = BrokerCommand.find();
        if (found == null) {
            throw new IllegalStateException(BrokerCommand.advice());
        }
        command = found;
        this.folder = folder;
        broker = new Broker("127.0.0.1", SteadyPorts.next());
        adminPort = SteadyPorts.next();
    }

    public Broker broker() {
        return broker;
    }

    public Path data() {
        return folder.resolve("data");
    }

    public int adminPort() {
        return adminPort;
    }

    /// Starts the process and waits until it answers clients.
    public SluiceProcess start() {
        launch();
        awaitReady();
        return this;
    }

    /// Starts the process and returns at once.
    public void launch() {
        if (process != null && process.isAlive()) {
            throw new IllegalStateException("The broker is still running.");
        }
        List<String> words = new ArrayList<>(command.filled(data(), broker.port(), adminPort));
        words.addAll(more);
        ProcessBuilder builder =
                new ProcessBuilder(words)
                        .redirectErrorStream(true)
                        .redirectOutput(Redirect.appendTo(log().toFile()));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        try {
            process = builder.start();
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot start the broker", failure);
        }
    }

    /// Waits until the broker names itself to an admin client.
    public void awaitReady() {
        long deadline = System.nanoTime() + READY_LIMIT.toNanos();
        Throwable obstacle = null;
        while (System.nanoTime() < deadline) {
            if (!running().isAlive()) {
                throw new IllegalStateException(
                        "The broker ended with " + running().exitValue() + ":\n" + output());
            }
            try (Admin admin = Admin.create(adminSettings())) {
                if (!admin.describeCluster().nodes().get(20, TimeUnit.SECONDS).isEmpty()) {
                    return;
                }
            } catch (ExecutionException | TimeoutException notYet) {
                obstacle = notYet;
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("Interrupted while waiting", interrupted);
            }
        }
        throw new IllegalStateException(
                "The broker was not ready within " + READY_LIMIT + ":\n" + output(), obstacle);
    }

    private Map<String, Object> adminSettings() {
        return Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                broker.bootstrap(),
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                2_000,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                2_000,
                AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                100L);
    }

    public boolean isAlive() {
        return process != null && process.isAlive();
    }

    /// Asks it to stop (SIGTERM) and waits for its end; returns the exit code.
    public int stop() {
        Process current = running();
        List<ProcessHandle> all = tree(current);
        all.reversed().forEach(ProcessHandle::destroy);
        awaitEnd(all);
        return current.exitValue();
    }

    /// Asks it to stop (SIGTERM) and returns at once.
    public void beginStop() {
        tree(running()).reversed().forEach(ProcessHandle::destroy);
    }

    /// Kills it (SIGKILL): it gets no chance to write anything.
    public void kill() {
        List<ProcessHandle> all = tree(running());
        all.forEach(ProcessHandle::destroyForcibly);
        awaitEnd(all);
    }

    /// Resident memory in bytes, as `/proc` says it.
    public long residentBytes() {
        return tree(running()).stream().mapToLong(SluiceProcess::residentBytes).sum();
    }

    private static long residentBytes(ProcessHandle handle) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + handle.pid() + "/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                    .sum();
        } catch (IOException gone) {
            return 0;
        }
    }

    /// Everything that the process has printed, over all its lives.
    public String output() {
        try {
            return Files.readString(log(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            return "(no output: " + unreadable + ")";
        }
    }

    private Path log() {
        return folder.resolve("broker.log");
    }

    private Process running() {
        Process current = process;
        if (current == null) {
            throw new IllegalStateException("The broker was never started.");
        }
        return current;
    }

    private static List<ProcessHandle> tree(Process root) {
        return Stream.concat(Stream.of(root.toHandle()), root.descendants()).toList();
    }

    private void awaitEnd(List<ProcessHandle> all) {
        try {
            for (ProcessHandle handle : all) {
                handle.onExit().get(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            }
            running().waitFor();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the broker ended", interrupted);
        } catch (ExecutionException | TimeoutException failure) {
            throw new IllegalStateException(
                    "The broker did not end within " + STOP_LIMIT + ":\n" + output(), failure);
        }
    }

    @Override
    public void close() {
        if (isAlive()) {
            kill();
        }
    }
}
