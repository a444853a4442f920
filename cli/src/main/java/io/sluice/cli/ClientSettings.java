package io.sluice.cli;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/// kafka-clients settings of one run of the command, merged from flags, environment and file.
///
/// Immutable.
///
/// @param bootstrap host:port pairs with commas between
/// @param given what the user set: the file's settings with `-X` on top
public record ClientSettings(String bootstrap, Map<String, String> given, Duration timeout) {
    private static final String BOOTSTRAP_SERVERS = "bootstrap.servers";

    public ClientSettings {
        given = Map.copyOf(given);
    }

    static ClientSettings of(SluiceCommand options, Map<String, String> environment) {
        Map<String, String> given = new HashMap<>();
        if (options.commandConfig != null) {
            given.putAll(read(options.commandConfig));
        }
        given.putAll(options.clientSettings);
        String fromFile = given.remove(BOOTSTRAP_SERVERS);
        String fromEnvironment = environment.get("SLUICE_BOOTSTRAP");
        boolean chosen = options.bootstrap != null || isSet(fromEnvironment);
        String bootstrap =
                !chosen && fromFile != null ? fromFile : options.bootstrapOr(fromEnvironment);
        return new ClientSettings(bootstrap.trim(), given, options.timeout);
    }

    private static boolean isSet(@Nullable String value) {
        return value != null && !value.isEmpty();
    }

    /// Settings that any client of this run gets. Times follow `--timeout`, so that a dead broker is noticed within it.
    public Map<String, Object> forAnyClient() {
        Map<String, Object> settings = new HashMap<>();
        int millis = millis();
        settings.put(BOOTSTRAP_SERVERS, bootstrap);
        settings.put("client.id", "sluice-cli");
        settings.put("request.timeout.ms", millis);
        settings.put("socket.connection.setup.timeout.ms", Math.min(millis, 5_000));
        settings.put("reconnect.backoff.max.ms", 500);
        // Nobody reads the metrics of a process that lives for a second; leaving them out makes it
        // start faster.
        settings.put("metric.reporters", "");
        settings.put("enable.metrics.push", false);
        settings.putAll(given);
        return settings;
    }

    /// For an admin or consumer.
    public Map<String, Object> forReading() {
        Map<String, Object> settings = new HashMap<>(forAnyClient());
        settings.putIfAbsent("default.api.timeout.ms", millis());
        return settings;
    }

    /// For a producer: what cannot be delivered within twice the time-out has failed.
    public Map<String, Object> forWriting() {
        Map<String, Object> settings = new HashMap<>(forAnyClient());
        settings.putIfAbsent("max.block.ms", millis());
        settings.putIfAbsent("delivery.timeout.ms", 2 * millis() + 1_000);
        return settings;
    }

    private int millis() {
        return Math.clamp(timeout.toMillis(), 100, 600_000);
    }

    private static Map<String, String> read(Path file) {
        var properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        } catch (IOException e) {
            throw new Failure(
                    ExitCode.USAGE,
                    "--command-config: '%s' %s."
                            .formatted(
                                    file, Files.exists(file) ? "cannot be read" : "does not exist"),
                    e);
        }
        Map<String, String> settings = new HashMap<>();
        properties
                .stringPropertyNames()
                .forEach(key -> settings.put(key, properties.getProperty(key)));
        return settings;
    }
}
