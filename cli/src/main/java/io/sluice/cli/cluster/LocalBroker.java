package io.sluice.cli.cluster;

import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One broker of a cluster on this machine: its folder, its ports, its process. Owned by the command that started it; [#stop] may come from another thread.
final class LocalBroker {
    private static final int LAST_LINES = 15;
    private static final Duration STOP_LIMIT = Duration.ofSeconds(45);

    private final int id;
    private final Path folder;
    private final int kafkaPort;
    private final int adminPort;
    private List<String> command = List.of();
    private volatile @Nullable Process process;
    private volatile boolean wanted;
    private volatile boolean stopped;

    LocalBroker(int id, Path folder, int kafkaPort, int adminPort) {
        this.id = id;
        this.folder = folder;
        this.kafkaPort = kafkaPort;
        this.adminPort = adminPort;
    }

    int id() {
        return id;
    }

    Path folder() {
        return folder;
    }

    String bootstrap() {
        return "localhost:" + kafkaPort;
    }

    String adminUrl() {
        return "http://localhost:" + adminPort;
    }

    /// @param launcher the script by which Sluice is started
    /// @param more flags that all brokers share
    void launch(String launcher, List<String> more) throws IOException {
        List<String> words = new ArrayList<>(List.of(launcher, "up", "--node.id=" + id));
        words.add("--data=" + LocalFolder.data(folder));
        words.add("--kafka.listen=" + bootstrap());
        words.add("--admin.listen=localhost:" + adminPort);
        words.addAll(more);
        command = List.copyOf(words);
        Files.createDirectories(folder);
        Files.deleteIfExists(log());
        launchAgain();
    }

    /// As the last time.
    void launchAgain() throws IOException {
        List<String> words = new ArrayList<>();
        if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            words.add("/usr/bin/setsid"); // Or Ctrl-C would reach all of them at once.
        }
        words.addAll(command);
        ProcessBuilder builder =
                new ProcessBuilder(words)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
        builder.environment().put("SLUICE_NO_BUILD", "1");
        Process started = builder.start();
        process = started;
        wanted = true;
        if (stopped) {
            stop(); // Meanwhile, by Ctrl-C.
        }
    }

    /// By which somebody can start it elsewhere.
    String command() {
        return String.join(" ", command);
    }

    Path log() {
        return folder.resolve("broker.log");
    }

    /// Throws with the end of its log when its process has ended.
    boolean isReady() throws IOException {
        Process running = process;
        if (running == null || !running.isAlive()) {
            throw new Failure(
                    ExitCode.FAILED,
                    "Broker " + id + " has ended. The end of " + log() + ":\n" + lastLines());
        }
        HttpURLConnection connection =
                (HttpURLConnection)
                        URI.create(adminUrl() + "/health/ready").toURL().openConnection();
        connection.setConnectTimeout(500);
        connection.setReadTimeout(2_000);
        try {
            return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
        } catch (IOException _) {
            return false;
        } finally {
            connection.disconnect();
        }
    }

    /// The end of its log, without the lines of stack traces: they would leave no room for what they are about.
    String lastLines() throws IOException {
        List<String> lines =
                Files.exists(log())
                        ? Files.readAllLines(log()).stream()
                                .filter(line -> !line.startsWith("\t"))
                                .toList()
                        : List.of();
        return String.join(
                "\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
    }

    /// Asks it to stop, and waits until it has; kills it when it does not.
    void stop() {
        Process running = process;
        stopped = true;
        wanted = false;
        if (running == null) {
            return;
        }
        running.destroy();
        try {
            if (!running.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                running.destroyForcibly();
            }
        } catch (InterruptedException _) {
            running.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    boolean isRunning() {
        Process running = process;
        return running != null && running.isAlive();
    }

    /// Its process has ended, and nobody has asked it to.
    boolean hasDied() {
        return wanted && !isRunning();
    }

    /// What a shell would say of its end: 137 of one that was killed.
    int exitCode() {
        Process ended = process;
        return ended == null || ended.isAlive() ? 0 : ended.exitValue();
    }

    /// Its end has been taken note of.
    void giveUp() {
        wanted = false;
    }
}
