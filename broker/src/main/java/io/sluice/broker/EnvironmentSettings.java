package io.sluice.broker;

import io.sluice.settings.InvalidSetting;
import io.sluice.settings.Nearest;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// Settings in environment variables: `SLUICE_KAFKA_LISTEN` is `kafka.listen`. A misspelt one must not pass unnoticed. Immutable.
final class EnvironmentSettings {
    private static final String PREFIX = "SLUICE_";

    /// Variables that the script `sluice` and the command-line tool read; a user may well have exported them for all.
    private static final Set<String> OF_OTHERS =
            Set.of(
                    "SLUICE_BROKER_OPTS",
                    "SLUICE_CLI_OPTS",
                    "SLUICE_NO_BUILD",
                    "SLUICE_BOOTSTRAP",
                    "SLUICE_DATABASE",
                    "SLUICE_DATABASE_USER",
                    "SLUICE_DATABASE_PASSWORD");

    /// What Kubernetes puts into every container for a service called `sluice` or `sluice-…`.
    private static final Pattern SERVICE_LINK =
            Pattern.compile(
                    "SLUICE_(.+_)?(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_[0-9]+_(TCP|UDP|SCTP)(_.+)?)");

    private final Map<String, String> settingOf = new TreeMap<>();

    /// @param known every name that may be set
    EnvironmentSettings(Set<String> known) {
        for (String setting : known) {
            settingOf.put(variable(setting), setting);
        }
        settingOf.put(variable(CommandLine.CONFIG), CommandLine.CONFIG);
    }

    static String variable(String setting) {
        return PREFIX + setting.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /// The settings that are there; throws for a variable of ours that nobody knows, with the nearest one.
    Map<String, String> read(Map<String, String> environment) {
        Map<String, String> settings = new HashMap<>();
        for (Map.Entry<String, String> entry : new TreeMap<>(environment).entrySet()) {
            String setting = settingOf.get(entry.getKey());
            if (setting != null) {
                settings.put(setting, entry.getValue());
            } else if (entry.getKey().startsWith(PREFIX)) {
                requireForeign(entry.getKey(), entry.getValue());
            }
        }
        return settings;
    }

    private void requireForeign(String variable, String value) {
        boolean serviceLink =
                SERVICE_LINK.matcher(variable).matches()
                        || (variable.endsWith("_PORT") && value.contains("://"));
        if (!serviceLink && !OF_OTHERS.contains(variable)) {
            String meant = Nearest.to(variable, settingOf.keySet());
            throw new InvalidSetting(
                    variable,
                    "Unknown environment variable "
                            + variable
                            + (meant == null
                                    ? ". No setting has that name; './sluice up --help' names them."
                                    : "; did you mean " + meant + "?"));
        }
    }
}
