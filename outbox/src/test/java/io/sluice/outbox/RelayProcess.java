package io.sluice.outbox;

import io.sluice.outbox.lanes.Backoff;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// A relay in a process of its own, which can be killed and frozen.
final class RelayProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader lines;

    private RelayProcess(Process process) {
        this.process = process;
        this.lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    static RelayProcess start(Database database, Broker broker, String topic, Duration lease) {
        return start(database, broker, topic, lease, Guarantee.AT_LEAST_ONCE);
    }

    static RelayProcess exactlyOnce(
            Database database, Broker broker, String topic, Duration lease) {
        return start(database, broker, topic, lease, Guarantee.EXACTLY_ONCE);
    }

    private static RelayProcess start(
            Database database, Broker broker, String topic, Duration lease, Guarantee guarantee) {
        List<String> command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xshare:auto",
                        "-cp",
                        System.getProperty("java.class.path").replace("\n", File.pathSeparator),
                        RelayProcess.class.getName(),
                        database.url(),
                        broker.bootstrap(),
                        topic,
                        Long.toString(lease.toMillis()),
                        guarantee.name());
        try {
            return new RelayProcess(
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Until it owns lanes.
    RelayProcess awaitLanes() {
        try {
            String line = lines.readLine();
            while (line != null && !line.equals("owns lanes")) {
                line = lines.readLine();
            }
            if (line == null) {
                throw new AssertionError("the relay's process has ended");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /// SIGKILL: nothing is finished, nothing is said to anybody.
    void kill() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void freeze() {
        signal("STOP");
    }

    void thaw() {
        signal("CONT");
    }

    private void signal(String signal) {
        try {
            int code =
                    new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                            .start()
                            .waitFor();
            if (code != 0) {
                throw new AssertionError("kill -" + signal + " answered " + code);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        kill();
    }

    /// Arguments: JDBC URL, bootstrap servers, topic, lease in milliseconds, guarantee.
    public static void main(String[] args) throws InterruptedException {
        RelaySettings settings =
                RelaySettings.of(args[2], Map.of("bootstrap.servers", args[1]))
                        .withLease(Duration.ofMillis(Long.parseLong(args[3])))
                        .withGuarantee(Guarantee.valueOf(args[4]))
                        .withPage(500, 1 << 20)
                        .withParking(new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1)));
        Relay relay = Relay.start(new Database(args[0]), settings);
        boolean told = false;
        while (true) {
            Thread.sleep(20);
            if (!told && !relay.status().lanes().isEmpty()) {
                System.out.println("owns lanes");
                System.out.flush();
                told = true;
            }
        }
    }
}
