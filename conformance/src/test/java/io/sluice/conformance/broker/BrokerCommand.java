package io.sluice.conformance.broker;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// How a broker is started: a template in which `{data}`, `{port}` and `{adminPort}` stand for its folder and ports.
///
/// Immutable.
public record BrokerCommand(List<String> template) {
    private static final String COMMAND_PROPERTY = "sluice.conformance.command";
    private static final String MAIN_CLASS = "io.sluice.broker.Main";

    public BrokerCommand {
        template = List.copyOf(template);
    }

    /// The command of the system property; otherwise Sluice as it was just built, with this JVM's Java. Fails when there is none: tests without a broker have shown nothing, and must not look as if they had.
    static BrokerCommand require() {
        return require(
                System.getProperty(COMMAND_PROPERTY, ""), BrokerCommand.class.getClassLoader());
    }

    static BrokerCommand require(String command, ClassLoader classes) {
        if (!command.isBlank()) {
            return new BrokerCommand(List.of(command.trim().split(" +")));
        }
        try {
            Class.forName(MAIN_CLASS, false, classes);
        } catch (ClassNotFoundException absent) {
            throw new IllegalStateException(
                    "There is no broker to test: "
                            + MAIN_CLASS
                            + " is not on the class path, and -D"
                            + COMMAND_PROPERTY
                            + "='… {data} {port} {adminPort}' names no other.",
                    absent);
        }
        return ofThisBuild();
    }

    private static BrokerCommand ofThisBuild() {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // The flags of the script `sluice`, so that memory has the bounds that users get.
        words.addAll(List.of("-XX:+UseSerialGC", "-Xms32m", "-Xmx512m"));
        words.addAll(List.of("-XX:+ExitOnOutOfMemoryError", "-XX:+UseCompactObjectHeaders"));
        words.add("--enable-native-access=ALL-UNNAMED");
        words.add("--sun-misc-unsafe-memory-access=allow");
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), MAIN_CLASS));
        words.addAll(List.of("--data", "{data}", "--kafka.listen=127.0.0.1:{port}"));
        words.add("--admin.listen=127.0.0.1:{adminPort}");
        return new BrokerCommand(words);
    }

    List<String> filled(Path data, int port, int adminPort) {
        Stream<String> words =
                template.stream()
                        .map(word -> word.replace("{data}", data.toString()))
                        .map(word -> word.replace("{port}", Integer.toString(port)))
                        .map(word -> word.replace("{adminPort}", Integer.toString(adminPort)));
        return words.toList();
    }
}
