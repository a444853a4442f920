package io.sluice.cli.outbox;

import io.sluice.cli.ExitCode;
import io.sluice.cli.Failure;
import io.sluice.outbox.RelaySettings;
import io.sluice.outbox.compat.CompatSettings;
import io.sluice.outbox.compat.GivenSettings;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The document's settings, from its variables and from `app.outbox.relay.*` in a file or in the environment.
///
/// Immutable. What is wrong is refused when it is known for which mode it is wrong.
record RelayEnvironment(GivenSettings given) {
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
        return new RelayEnvironment(new GivenSettings(environment, given));
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

    CompatSettings forCompatMode() {
        return orUsage(given::forCompatMode);
    }

    RelaySettings forLogMode(RelaySettings defaults) {
        return orUsage(() -> given.forLogMode(defaults));
    }

    private static <T> T orUsage(Supplier<T> settings) {
        try {
            return settings.get();
        } catch (IllegalArgumentException e) {
            throw Failure.usage(e.getMessage() + ".");
        }
    }
}
