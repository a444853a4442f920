package io.sluice.broker;

import io.sluice.settings.InvalidSetting;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/// Settings in a file of `NAME=VALUE` lines. One that cannot be read must not pass for an empty one. Stateless.
final class FileSettings {
    private FileSettings() {}

    /// @param file as it was named
    static Map<String, String> read(String file) {
        Path path = Path.of(file).toAbsolutePath();
        Properties properties = load(path);
        Map<String, String> settings = new HashMap<>();
        properties.forEach((name, value) -> settings.put((String) name, (String) value));
        if (settings.containsKey(CommandLine.CONFIG)) {
            throw new InvalidSetting(
                    CommandLine.CONFIG,
                    "The configuration file " + path + " cannot name another one.");
        }
        return settings;
    }

    private static Properties load(Path path) {
        if (!Files.exists(path)) {
            throw unusable(path, "does not exist");
        }
        if (Files.isDirectory(path)) {
            throw unusable(path, "is a folder");
        }
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(path, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (AccessDeniedException _) {
            throw unusable(path, "may not be read by this user");
        } catch (CharacterCodingException _) {
            throw unusable(path, "is not text in UTF-8");
        } catch (IllegalArgumentException _) {
            throw unusable(
                    path,
                    "has a \\u without four hexadecimal digits (a single \\ is written \\\\)");
        } catch (IOException e) {
            throw unusable(path, "cannot be read (" + e.getMessage() + ")");
        }
        return properties;
    }

    private static InvalidSetting unusable(Path path, String why) {
        return new InvalidSetting(
                CommandLine.CONFIG,
                "The configuration file "
                        + path
                        + " "
                        + why
                        + ". Name a file of NAME=VALUE lines with --config or SLUICE_CONFIG, or none: every setting has a default.");
    }
}
