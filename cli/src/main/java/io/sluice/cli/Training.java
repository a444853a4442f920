package io.sluice.cli;

import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A run that only the JVM learns from: it goes through the commands people use most, so that the ahead-of-time cache knows
/// their classes. Reads, changes nothing, prints nothing.
///
/// With a broker at `--bootstrap` or its default the cache also learns what talking to one takes; without, only as far as
/// the first connection.
final class Training {
    private static final List<List<String>> COMMANDS =
            List.of(
                    List.of("--version", "-o", "json"),
                    List.of("--help"),
                    List.of("topic", "list", "--long", "--timeout", "3s"),
                    List.of("topic", "list", "-o", "json", "--timeout", "3s"),
                    List.of("topic", "describe", "sluice-training", "--timeout", "3s"),
                    List.of("group", "list", "--timeout", "3s"),
                    List.of("tail", "sluice-training", "-o", "jsonl", "--timeout", "3s"),
                    List.of("cluster", "info", "--timeout", "3s"),
                    List.of("doctor", "--timeout", "1s"),
                    List.of("send", "--help"),
                    List.of("bench", "produce", "--help"));

    private Training() {}

    public static void main(String[] args) {
        for (List<String> command : COMMANDS) {
            int _ = new Main(nowhere()).run(command.toArray(String[]::new));
        }
        unreachableClients();
    }

    /// Even with nobody there, the clients load most of what they need.
    private static void unreachableClients() {
        var settings = new ClientSettings("127.0.0.1:9", Map.of(), Duration.ofMillis(300));
        try (var cluster = Cluster.unchecked(settings)) {
            Cluster.await(cluster.admin().listTopics().names());
        } catch (RuntimeException e) {
            // as expected
        }
    }

    private static Terminal nowhere() {
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.put("CI", "true");
        return new Terminal(
                InputStream.nullInputStream(),
                Terminal.print(OutputStream.nullOutputStream(), false),
                Terminal.print(OutputStream.nullOutputStream(), false),
                environment,
                Terminal.Screens.NONE,
                InstantSource.system(),
                ZoneId.systemDefault());
    }
}
