package io.sluice.cli;

import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;

/// A run that only the JVM learns from: it goes through the commands people use most, so that the ahead-of-time cache knows
/// their classes. Prints nothing.
///
/// The argument is the address of a broker that was started for this and is thrown away afterwards; without one only what
/// needs no broker is learnt.
final class Training {
    private static final List<String> COMMANDS =
            List.of(
                    "--version -o json",
                    "--help",
                    "topic create training -p 2",
                    "send training hello world -k key -H a=b",
                    "send training --json-lines",
                    "topic list --long",
                    "topic list -o json",
                    "topic describe training",
                    "tail training",
                    "tail training --from beginning -o jsonl",
                    "tail training --group training -n 1 --idle 5s",
                    "group list",
                    "group describe training",
                    "group reset training --to beginning",
                    "cluster info",
                    "doctor",
                    "topic alter training --set retention.ms=1000",
                    "bench produce -n 100 -t training",
                    "bench consume -t training",
                    "topic delete training --yes",
                    "topic list --bootstrap 127.0.0.1:1");

    private Training() {}

    public static void main(String[] args) {
        String broker = args.length == 0 || args[0].isEmpty() ? "127.0.0.1:1" : args[0];
        for (String command : COMMANDS) {
            int _ = new Main(nowhere(broker)).run(command.split(" "));
        }
    }

    private static Terminal nowhere(String broker) {
        String lines = "{\"key\":\"a\",\"value\":{\"b\":1}}\n";
        return new Terminal(
                new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)),
                Terminal.print(OutputStream.nullOutputStream(), false),
                Terminal.print(OutputStream.nullOutputStream(), false),
                Map.of("SLUICE_BOOTSTRAP", broker, "CI", "true"),
                Terminal.Screens.NONE,
                InstantSource.system(),
                ZoneId.systemDefault());
    }
}
