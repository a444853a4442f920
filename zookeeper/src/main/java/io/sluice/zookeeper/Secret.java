package io.sluice.zookeeper;

import io.sluice.settings.InvalidSetting;
import io.sluice.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A password: what it is shows only where it is asked for by [#reveal]. Immutable.
public final class Secret {
    static final Secret NONE = new Secret("");

    private final String value;

    public Secret(String value) {
        this.value = value;
    }

    /// Given as `name`, or as the first line of the file that `name-file` names; empty when neither is set.
    static Secret from(Settings settings, String name, String whatFor) {
        String value = settings.secret(name, whatFor + " Better given in a file.");
        String file =
                settings.text(
                        name + "-file",
                        "",
                        "File whose first line is what "
                                + name
                                + " would be: flags and the environment can be seen by others.");
        if (file.isEmpty()) {
            return new Secret(value);
        }
        try {
            return new Secret(Files.readString(Path.of(file)).lines().findFirst().orElse(""));
        } catch (IOException | RuntimeException e) {
            throw new InvalidSetting(
                    name + "-file",
                    "Setting '"
                            + name
                            + "-file' names "
                            + file
                            + ", which cannot be read as text: "
                            + e);
        }
    }

    public String reveal() {
        return value;
    }

    public boolean isEmpty() {
        return value.isEmpty();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Secret secret && secret.value.equals(value);
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(value);
    }

    @Override
    public String toString() {
        return value.isEmpty() ? "(none)" : "(hidden)";
    }
}
