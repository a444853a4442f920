package io.sluice.conformance.broker;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// How a broker is started: a template in which `{data}`, `{port}` and `{adminPort}` stand for its folder and ports.
///
/// Immutable.
public record BrokerCommand(List<String> template) {
    private static final String COMMAND_PROPERTY = "sluice.conformance.command";
    private static final String MAIN_CLASS = "io.sluice.broker.Main";

    public BrokerCommand {
        template = List.copyOf(template);
    }

    /// The command of the system property; otherwise Sluice as it was just built, with this JVM's Java; absent when there is no Sluice to start.
    static @Nullable BrokerCommand find() {
        String command = System.getProperty(COMMAND_PROPERTY, "").trim();
        if (!command.isEmpty()) {
            return new BrokerCommand(List.of(command.split(" +")));
        }
        return sluiceIsBuilt() ? ofThisBuild() : null;
    }

    /// What to tell someone whose tests were skipped because [#find] found nothing.
    static String advice() {
        return "no broker to test: "
                + MAIN_CLASS
                + " is not on the class path, and -D"
                + COMMAND_PROPERTY
                + "='… {data} {port} {adminPort}' names no other";
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

    private static boolean sluiceIsBuilt() {
        try {
            Class.forName(MAIN_CLASS, false, BrokerCommand.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException absent) {
            return false;
        }
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
