package io.sluice.conformance.broker;

import io.sluice.testing.SteadyPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
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
    private final Path data;
    private final Map<String, String> environment;
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
        this(folder, folder.resolve("data"), Map.of(), more);
    }

    /// @param data where its data is, which may be on a disk of its own
    /// @param environment variables on top of what the tests have
    public SluiceProcess(
            Path folder, Path data, Map<String, String> environment, List<String> more) {
        this.folder = folder;
        this.data = data;
        this.environment = Map.copyOf(environment);
        this.more = List.copyOf(more);
        command = BrokerCommand.require();
        broker = new Broker("127.0.0.1", SteadyPorts.next());
        adminPort = SteadyPorts.next();
    }

    public Broker broker() {
        return broker;
    }

    public Path data() {
        return data;
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
        builder.environment().putAll(environment);
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

    /// The value of a metric without labels, as `/metrics` says it.
    public double metric(String name) {
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI page = URI.create("http://127.0.0.1:" + adminPort + "/metrics");
            return client.send(
                            HttpRequest.newBuilder(page).build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body()
                    .lines()
                    .filter(line -> line.startsWith(name + " "))
                    .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("There is no metric " + name + "."));
        } catch (IOException failure) {
            throw new UncheckedIOException("No metrics", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", interrupted);
        }
    }

    /// From now on its files cannot grow beyond what it has printed and a little more: writes behind that fail, as on a broken disk. False where the machine has no `prlimit`.
    public boolean failWrites() {
        try {
            long limit = 2 * Files.size(log()) + (256 << 10);
            for (ProcessHandle handle : tree(running())) {
                Process prlimit =
                        new ProcessBuilder("prlimit", "--pid=" + handle.pid(), "--fsize=" + limit)
                                .redirectErrorStream(true)
                                .start();
                if (prlimit.waitFor() != 0) {
                    return false;
                }
            }
            return true;
        } catch (IOException absent) {
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", interrupted);
        }
    }

    /// Waits until it has ended by itself; returns the exit code.
    public int awaitOwnEnd() {
        Process current = running();
        awaitEnd(tree(current));
        return current.exitValue();
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
