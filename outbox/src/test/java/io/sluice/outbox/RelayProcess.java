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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/// A relay in a process of its own, which can be killed and frozen.
final class RelayProcess implements AutoCloseable {
    private static final String LINGERING = "LINGERING_MILLIS";

    private final Process process;
    private final BufferedReader lines;

    private RelayProcess(Process process) {
        this.process = process;
        this.lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    static RelayProcess start(Database database, Broker broker, String topic, Duration lease) {
        return start(database, broker, topic, lease, Guarantee.AT_LEAST_ONCE, false);
    }

    static RelayProcess exactlyOnce(
            Database database, Broker broker, String topic, Duration lease) {
        return start(database, broker, topic, lease, Guarantee.EXACTLY_ONCE, false);
    }

    /// Reads the database's log where that is wanted.
    static RelayProcess streaming(Database database, Broker broker, String topic, Duration lease) {
        return start(database, broker, topic, lease, Guarantee.AT_LEAST_ONCE, true);
    }

    /// Its wall clock is what [HostClock] says.
    static RelayProcess withClock(
            Database database, Broker broker, String topic, Duration lease, HostClock clock) {
        return start(
                database,
                broker,
                topic,
                lease,
                Guarantee.AT_LEAST_ONCE,
                false,
                clock.environment());
    }

    /// Its producer keeps what it is given for so long before it sends it, see [#awaitHandedOver].
    static RelayProcess lingering(
            Database database, Broker broker, String topic, Duration lease, Duration lingering) {
        return start(
                database,
                broker,
                topic,
                lease,
                Guarantee.AT_LEAST_ONCE,
                false,
                Map.of(LINGERING, Long.toString(lingering.toMillis())));
    }

    private static RelayProcess start(
            Database database,
            Broker broker,
            String topic,
            Duration lease,
            Guarantee guarantee,
            boolean streams) {
        return start(database, broker, topic, lease, guarantee, streams, Map.of());
    }

    private static RelayProcess start(
            Database database,
            Broker broker,
            String topic,
            Duration lease,
            Guarantee guarantee,
            boolean streams,
            Map<String, String> environment) {
        return start(
                RelayProcess.class,
                environment,
                database.url(),
                broker.bootstrap(),
                topic,
                Long.toString(lease.toMillis()),
                guarantee.name(),
                Boolean.toString(streams));
    }

    /// The document's relay.
    static RelayProcess compat(
            Database database, Broker broker, String topic, int id, int total, Duration timeout) {
        return start(
                CompatProcess.class,
                CompatProcess.environment(id, total),
                database.url(),
                broker.bootstrap(),
                topic,
                Long.toString(timeout.toSeconds()));
    }

    private static RelayProcess start(
            Class<?> main, Map<String, String> environment, String... arguments) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-Xshare:auto",
                                "-cp",
                                System.getProperty("java.class.path")
                                        .replace("\n", File.pathSeparator),
                                main.getName()));
        command.addAll(List.of(arguments));
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
            builder.environment().putAll(environment);
            return new RelayProcess(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Until it owns lanes.
    RelayProcess awaitLanes() {
        return awaitLine("owns lanes");
    }

    /// Until it has written this.
    RelayProcess awaitLine(String awaited) {
        try {
            String line = lines.readLine();
            while (line != null && !line.equals(awaited)) {
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

    /// @return the number of an event that its producer was given just now
    String awaitHandedOver() {
        try {
            String last = "";
            while (last.isEmpty() || lines.ready()) {
                String line = lines.readLine();
                if (line == null) {
                    throw new AssertionError("the relay's process has ended");
                }
                if (line.startsWith(HandedOver.WORD)) {
                    last = line.substring(HandedOver.WORD.length());
                }
            }
            return last;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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

    /// Arguments: JDBC URL, bootstrap servers, topic, lease in milliseconds, guarantee, whether it may stream.
    public static void main(String[] args) throws InterruptedException {
        RelaySettings settings =
                RelaySettings.of(args[2], producer(args[1], System.getenv(LINGERING)))
                        .withLease(Duration.ofMillis(Long.parseLong(args[3])))
                        .withGuarantee(Guarantee.valueOf(args[4]))
                        .withPage(500, 1 << 20)
                        .withParking(new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1)));
        if (Boolean.parseBoolean(args[5])) {
            settings =
                    settings.withReplication(Replication.to(args[0], new Properties()).unbounded());
        }
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

    private static Map<String, Object> producer(String bootstrap, @Nullable String lingering) {
        Map<String, Object> producer = new HashMap<>(Map.of("bootstrap.servers", bootstrap));
        if (lingering != null) {
            producer.put("linger.ms", lingering);
            producer.put("interceptor.classes", HandedOver.class.getName());
        }
        return producer;
    }
}
