package io.sluice.broker;

import io.sluice.settings.InvalidSetting;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
                                    : valueAfter(arguments, i, known);
                    i += equals >= 0 ? 0 : 1;
                    flags.put(name.substring(2), value);
                }
            }
        }
        Map<String, String> fromEnvironment = new EnvironmentSettings(known).read(environment);
        // The file itself can be named by the other two only.
        String file = flags.containsKey(CONFIG) ? flags.get(CONFIG) : fromEnvironment.get(CONFIG);
        Map<String, String> settings =
                new HashMap<>(file == null ? Map.of() : FileSettings.read(file));
        settings.putAll(fromEnvironment);
        settings.putAll(flags);
        settings.remove(CONFIG);
        return new CommandLine(help, trainAot, settings);
    }

    /// A flag that nobody knows lacks no value: it is refused by its name later.
    private static String valueAfter(List<String> arguments, int at, Set<String> known) {
        if (at + 1 < arguments.size()) {
            return arguments.get(at + 1);
        }
        String flag = arguments.get(at);
        String name = flag.substring(2);
        if (known.contains(name) || name.equals(CONFIG)) {
            throw new InvalidSetting(name, "The flag " + flag + " needs a value: " + flag + "=…");
        }
        return "";
    }
}
