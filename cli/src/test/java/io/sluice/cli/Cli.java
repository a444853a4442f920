package io.sluice.cli;

import io.sluice.cli.BrokerUnderTest.BrokerAddress;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.Map;

/// Runs the command in this JVM and keeps what it printed.
public final class Cli {
    private final Map<String, String> environment = new HashMap<>();
    private Terminal.Screens screens = Terminal.Screens.NONE;
    private String input = "";

    /// What a run left behind.
    public record Result(int exitCode, String out, String err) {}

    public static Cli at(BrokerAddress broker) {
        var cli = new Cli();
        cli.environment.put("SLUICE_BOOTSTRAP", broker.servers());
        return cli;
    }

    /// A port of this machine where nobody listens.
    public static Cli withoutBroker() {
        return at(new BrokerAddress("127.0.0.1:1"));
    }

    public Cli reading(String text) {
        input = text;
        return this;
    }

    public Cli onAScreen() {
        screens = new Terminal.Screens(true, true, true);
        return this;
    }

    public Cli with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    public Result run(String... args) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var terminal =
                new Terminal(
                        new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                        Terminal.print(out, false),
                        Terminal.print(err, true),
                        environment,
                        screens,
                        InstantSource.system(),
                        ZoneId.of("Asia/Seoul"));
        int exitCode = new Main(terminal).run(args);
        return new Result(
                exitCode,
                out.toString(StandardCharsets.UTF_8),
                err.toString(StandardCharsets.UTF_8));
    }
}
