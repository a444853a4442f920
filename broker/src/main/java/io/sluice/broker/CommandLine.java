package io.sluice.broker;

import io.sluice.settings.InvalidSetting;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Where settings come from: a file, then environment variables over it, then flags over both. One name for each key. Immutable.
///
/// `kafka.listen` is `kafka.listen=…` in the file, `SLUICE_KAFKA_LISTEN` in the environment and `--kafka.listen=…` as a flag.
public record CommandLine(boolean help, boolean trainAot, Map<String, String> settings) {
    static final String CONFIG = "config";

    /// @param known every name that may be set
    static CommandLine parse(
            List<String> arguments, Map<String, String> environment, Set<String> known) {
        Map<String, String> flags = new HashMap<>();
        boolean help = false;
        boolean trainAot = false;
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            int equals = argument.indexOf('=');
            String name = equals < 0 ? argument : argument.substring(0, equals);
            switch (argument) {
                case "-h", "--help" -> help = true;
                case "--train-aot" -> trainAot = true;
                case "--ephemeral" -> flags.put("ephemeral", "true");
                default -> {
                    if (!name.startsWith("--")) {
                        throw new InvalidSetting(
                                name,
                                "'"
                                        + argument
                                        + "' is not a flag; flags look like --kafka.listen=localhost:9092.");
                    }
                    String value =
                            equals >= 0
                                    ? argument.substring(equals + 1)
                                    : valueAfter(arguments, i, name);
                    i += equals >= 0 ? 0 : 1;
                    flags.put(name.substring(2), value);
                }
            }
        }
        Map<String, String> fromEnvironment = new EnvironmentSettings(known).read(environment);
        // The file itself can be named by the other two only.
        String file = flags.containsKey(CONFIG) ? flags.get(CONFIG) : fromEnvironment.get(CONFIG);
        Map<String, String> settings = new HashMap<>(readFile(file));
        settings.putAll(fromEnvironment);
        settings.putAll(flags);
        settings.remove(CONFIG);
        return new CommandLine(help, trainAot, settings);
    }

    private static String valueAfter(List<String> arguments, int at, String name) {
        if (at + 1 >= arguments.size()) {
            throw new InvalidSetting(name, "The flag " + name + " needs a value: " + name + "=…");
        }
        return arguments.get(at + 1);
    }

    private static Map<String, String> readFile(@Nullable String file) {
        Map<String, String> settings = new HashMap<>();
        if (file == null) {
            return settings;
        }
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(file), StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (IOException e) {
            throw new InvalidSetting(
                    "config", "Cannot read the configuration file " + file + ": " + e + ".");
        }
        properties.forEach((name, value) -> settings.put((String) name, (String) value));
        if (settings.containsKey(CONFIG)) {
            throw new InvalidSetting(
                    CONFIG, "The configuration file " + file + " cannot name another one.");
        }
        return settings;
    }
}
