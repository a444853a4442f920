package io.sluice.cli.outbox;

import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.outbox.RelaySettings;
import io.sluice.outbox.compat.CompatSettings;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/// The document's settings, from its variables and from `app.outbox.relay.*` in a file or in the environment.
///
/// Immutable.
///
/// @param given what somebody has set, so that log mode's own defaults stay where nobody has
record RelayEnvironment(CompatSettings documents, Map<String, String> given, boolean isNumbered) {
    private static final String PREFIX = "app.outbox.relay.";
    private static final List<String> NAMES =
            List.of(
                    "batchSize",
                    "fixedDelayMs",
                    "timeoutSeconds",
                    "baseBackoffMs",
                    "maxBackoffMs",
                    "slowProcessingThresholdMs",
                    "instanceId",
                    "totalInstances");

    /// Known to the document, without a meaning here: nothing is delayed at the start, and no pool sends.
    private static final List<String> WITHOUT_MEANING = List.of("initialDelayMs", "threadPoolSize");

    RelayEnvironment {
        given = Map.copyOf(given);
    }

    static RelayEnvironment of(Map<String, String> environment, @Nullable Path file) {
        Map<String, String> given = new HashMap<>();
        for (String name : NAMES) {
            String variable = (PREFIX + name).replace(".", "_").toUpperCase(Locale.ROOT);
            String value = environment.get(variable);
            if (value != null) {
                given.put(PREFIX + name, value);
            }
        }
        if (file != null) {
            given.putAll(read(file));
        }
        try {
            return new RelayEnvironment(
                    CompatSettings.of(environment, given),
                    given,
                    environment.containsKey(CompatSettings.INSTANCE_ID));
        } catch (IllegalArgumentException e) {
            throw Failure.usage(e.getMessage() + ".");
        }
    }

    private static Map<String, String> read(Path file) {
        var properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        } catch (IOException e) {
            throw new Failure(
                    ExitCode.USAGE, "--settings: '%s' cannot be read.".formatted(file), e);
        }
        Map<String, String> settings = new HashMap<>();
        for (String name : properties.stringPropertyNames()) {
            if (!name.startsWith(PREFIX)) {
                continue;
            }
            String word = name.substring(PREFIX.length());
            if (!NAMES.contains(word) && !WITHOUT_MEANING.contains(word)) {
                throw Failure.usage(
                        "--settings: there is no setting '%s'; known are %s."
                                .formatted(name, NAMES));
            }
            settings.put(name, properties.getProperty(name));
        }
        return settings;
    }

    /// Log mode with whatever of the document's settings has a meaning there. The number of instances has none: relays find each other.
    RelaySettings forLogMode(RelaySettings defaults) {
        RelaySettings settings = defaults;
        if (isNumbered) {
            settings = settings.withName("relay-" + documents.instanceId());
        }
        if (given.containsKey(PREFIX + "batchSize")) {
            settings = settings.withPage(documents.batchSize(), defaults.pageBytes());
        }
        if (given.containsKey(PREFIX + "fixedDelayMs")) {
            settings = settings.withIdleWait(documents.fixedDelay());
        }
        return settings.withParking(documents.backoff());
    }
}
