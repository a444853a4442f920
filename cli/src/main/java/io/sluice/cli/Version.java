package io.sluice.cli;

import io.sluice.cli.output.Column;
import io.sluice.cli.output.Details;
import io.sluice.cli.output.Fields;
import io.sluice.cli.output.Value;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Properties;

/// What `--version` says.
///
/// Immutable.
record Version(String number) {

    /// The version that the build wrote beside this class.
    static Version current() {
        var properties = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Version(properties.getProperty("version", "unknown"));
    }

    String line() {
        return "sluice " + number + " (Java " + System.getProperty("java.version") + ")";
    }

    Details details() {
        Fields fields =
                Fields.of("name", Value.text("sluice"))
                        .with("version", Value.text(number))
                        .with("java", Value.text(System.getProperty("java.version")))
                        .with("system", Value.text(system()));
        return Details.of(
                number,
                List.of(
                        Column.of("version", "Sluice"),
                        Column.of("java", "Java"),
                        Column.of("system", "System")),
                fields);
    }

    private static String system() {
        return System.getProperty("os.name") + " " + System.getProperty("os.arch");
    }
}
