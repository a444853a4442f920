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

/// One broker of a cluster on this machine: its folder, its ports, its process. Owned by the command that started it.
final class LocalBroker {
    private static final int LAST_LINES = 15;
    private static final Duration STOP_LIMIT = Duration.ofSeconds(45);

    private final int id;
    private final Path folder;
    private final int kafkaPort;
    private final int adminPort;
    private @Nullable Process process;

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
        Files.createDirectories(folder);
        List<String> words = new ArrayList<>();
        if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            words.add("/usr/bin/setsid"); // Or Ctrl-C would reach all of them at once.
        }
        words.addAll(List.of(launcher, "up", "--node.id=" + id));
        words.add("--data=" + folder.resolve("data"));
        words.add("--kafka.listen=" + bootstrap());
        words.add("--admin.listen=localhost:" + adminPort);
        words.addAll(more);
        ProcessBuilder builder =
                new ProcessBuilder(words)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.to(log().toFile()));
        builder.environment().put("SLUICE_NO_BUILD", "1");
        process = builder.start();
    }

    private Path log() {
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

    private String lastLines() throws IOException {
        List<String> lines = Files.exists(log()) ? Files.readAllLines(log()) : List.of();
        return String.join(
                "\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
    }

    /// Asks it to stop, and waits until it has; kills it when it does not.
    void stop() {
        Process running = process;
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

    /// Returns when the process has ended by itself or by [#stop].
    void awaitEnd() throws InterruptedException {
        Process running = process;
        if (running != null) {
            running.waitFor();
        }
    }
}
