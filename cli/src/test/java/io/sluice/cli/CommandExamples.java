package io.sluice.cli;

import java.util.ArrayList;
import java.util.List;

/// One harmless way to call each command, for tests that go through all of them.
final class CommandExamples {
    static final String TOPIC = "contract-topic";
    static final String GROUP = "contract-group";

    /// Where the test puts a data directory.
    static final String DATA = "target/contract-data";

    private CommandExamples() {}

    /// @throws AssertionError for a command that has no example, so that nobody forgets to add one
    static List<String> of(String command) {
        List<String> args = new ArrayList<>(List.of(command.split(" ")));
        args.addAll(
                switch (command) {
                    case "topic list",
                            "group list",
                            "cluster info",
                            "cluster health",
                            "broker list",
                            "rebalance",
                            "cluster up" ->
                            List.of();
                    case "topic describe" -> List.of(TOPIC);
                    case "broker drain", "broker resume", "broker remove" -> List.of("77");
                    case "topic create" -> List.of(TOPIC, "--if-not-exists");
                    case "topic alter" -> List.of(TOPIC, "--set", "retention.ms=3600000");
                    case "topic delete" -> List.of(TOPIC);
                    case "send" -> List.of(TOPIC, "hello");
                    case "tail" -> List.of(TOPIC);
                    case "group describe", "group delete" -> List.of(GROUP);
                    case "group reset" -> List.of(GROUP, "--to", "beginning");
                    case "bench produce" -> List.of("-t", TOPIC, "-n", "10");
                    case "bench consume" -> List.of("-t", TOPIC);
                    case "bench latency" ->
                            List.of("-t", TOPIC, "-r", "50", "-d", "200ms", "--warm-up", "0ms");
                    case "log dump", "log verify" -> List.of(DATA);
                    case "outbox status", "outbox members", "outbox lanes", "outbox parked" ->
                            List.of();
                    case "outbox replay" -> List.of("-t", TOPIC, "--range", "0-10");
                    case "relay" -> List.of("-t", TOPIC, "--for", "200ms");
                    case "demo" -> List.of("-d", "300ms");
                    case "doctor" -> List.of();
                    case "completion" -> List.of("bash");
                    default -> throw new AssertionError("add an example for '" + command + "'");
                });
        return args;
    }
}
