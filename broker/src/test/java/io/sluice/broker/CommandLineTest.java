package io.sluice.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.settings.InvalidSetting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandLineTest {
    private static final Set<String> KNOWN =
            Set.of("data", "ephemeral", "kafka.listen", "log.flush-interval", "topic.retention.ms");

    @Test
    void flagsWinOverTheEnvironmentAndTheEnvironmentOverTheFile(@TempDir Path folder)
            throws Exception {
        Path file = folder.resolve("sluice.properties");
        Files.writeString(
                file, "kafka.listen=file:1\nlog.flush-interval=1s\ntopic.retention.ms=1\n");
        CommandLine line =
                CommandLine.parse(
                        List.of("--config", file.toString(), "--kafka.listen=flag:3"),
                        Map.of(
                                "SLUICE_KAFKA_LISTEN",
                                "environment:2",
                                "SLUICE_LOG_FLUSH_INTERVAL",
                                "2s"),
                        KNOWN);
        assertThat(line.settings())
                .isEqualTo(
                        Map.of(
                                "kafka.listen",
                                "flag:3",
                                "log.flush-interval",
                                "2s",
                                "topic.retention.ms",
                                "1"));
    }

    /// One name for each key holds for the data directory as well.
    @Test
    void theDataDirectoryIsASettingLikeAnyOther(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("sluice.properties");
        Files.writeString(file, "data=/from/file\nephemeral=false\n");
        Map<String, String> environment = Map.of("SLUICE_CONFIG", file.toString());
        assertThat(dataOf(List.of(), Map.of())).isEqualTo(new DataPlace(Path.of("data"), false));
        assertThat(dataOf(List.of(), environment))
                .isEqualTo(new DataPlace(Path.of("/from/file"), false));
        assertThat(dataOf(List.of("--config=" + file, "--ephemeral"), Map.of("SLUICE_DATA", "/y")))
                .isEqualTo(new DataPlace(Path.of("/y"), true));
        assertThat(dataOf(List.of("--data", "/x"), Map.of("SLUICE_DATA", "/y")))
                .isEqualTo(new DataPlace(Path.of("/x"), false));
    }

    private static DataPlace dataOf(List<String> arguments, Map<String, String> environment) {
        CommandLine line = CommandLine.parse(arguments, environment, KNOWN);
        return BrokerSettings.read(line.settings()).data();
    }

    @Test
    void anUnknownVariableRefusesTheStartAndNamesTheNearestKnownOne() {
        assertThatThrownBy(
                        () ->
                                CommandLine.parse(
                                        List.of(), Map.of("SLUICE_KAFKA_LISTN", "foo"), KNOWN))
                .isInstanceOf(InvalidSetting.class)
                .hasMessage(
                        "Unknown environment variable SLUICE_KAFKA_LISTN; did you mean SLUICE_KAFKA_LISTEN?");
        assertThatThrownBy(() -> CommandLine.parse(List.of(), Map.of("SLUICE_PORT", "9093"), KNOWN))
                .hasMessageContaining("SLUICE_PORT");
    }

    /// Of the script and of the tool, and what Kubernetes sets for a service called `sluice` or `sluice-admin`.
    @Test
    void variablesOfOthersAreLeftAlone() {
        Map<String, String> foreign = new HashMap<>();
        for (String name :
                List.of(
                        "SLUICE_BROKER_OPTS",
                        "SLUICE_CLI_OPTS",
                        "SLUICE_NO_BUILD",
                        "SLUICE_BOOTSTRAP",
                        "SLUICE_DATABASE",
                        "SLUICE_DATABASE_USER",
                        "SLUICE_DATABASE_PASSWORD",
                        "SLUICE_SERVICE_HOST",
                        "SLUICE_SERVICE_PORT",
                        "SLUICE_SERVICE_PORT_KAFKA",
                        "SLUICE_PORT_9092_TCP",
                        "SLUICE_PORT_9092_TCP_ADDR",
                        "SLUICE_ADMIN_SERVICE_HOST",
                        "OTHER_KAFKA_LISTN")) {
            foreign.put(name, "x");
        }
        foreign.put("SLUICE_PORT", "tcp://10.0.0.1:9092");
        assertThat(CommandLine.parse(List.of(), foreign, KNOWN).settings()).isEmpty();
    }

    /// What the script documents at its top is what the broker lets pass, and nothing is forgotten.
    @Test
    void everyVariableThatTheScriptReadsIsKnown() throws Exception {
        Matcher variable =
                Pattern.compile("\\bSLUICE_[A-Z_]+")
                        .matcher(Files.readString(Path.of("../sluice")));
        Map<String, String> all = new HashMap<>();
        while (variable.find()) {
            if (!variable.group().equals("SLUICE_CONFIG")) {
                all.put(variable.group(), "1");
            }
        }
        assertThat(all).containsKeys("SLUICE_BROKER_OPTS", "SLUICE_CLI_OPTS", "SLUICE_NO_BUILD");
        assertThat(CommandLine.parse(List.of(), all, KNOWN).help()).isFalse();
    }

    @Test
    void whatIsNoFlagIsRefused() {
        assertThatThrownBy(() -> CommandLine.parse(List.of("start"), Map.of(), KNOWN))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining("'start' is not a flag");
        assertThatThrownBy(() -> CommandLine.parse(List.of("--data"), Map.of(), KNOWN))
                .hasMessageContaining("The flag --data needs a value");
        assertThatThrownBy(() -> CommandLine.parse(List.of("--config"), Map.of(), KNOWN))
                .hasMessageContaining("The flag --config needs a value");
    }

    @Test
    void anUnknownFlagAtTheEndIsCalledUnknown() {
        Map<String, String> settings =
                CommandLine.parse(List.of("--quiet"), Map.of(), KNOWN).settings();
        assertThatThrownBy(() -> BrokerSettings.read(settings))
                .hasMessageStartingWith("Unknown setting 'quiet'");
    }

    /// In sentences, without a word of Java.
    @Test
    void aFileThatCannotBeReadIsNamedWithWhatToDo(@TempDir Path folder) throws Exception {
        refused(folder.resolve("missing.properties"), "missing.properties does not exist. ");
        refused(folder, folder + " is a folder. ");
        Path latin = folder.resolve("latin.properties");
        Files.write(latin, new byte[] {'a', '=', (byte) 0xe9});
        refused(latin, "latin.properties is not text in UTF-8. ");
        Path windows = folder.resolve("windows.properties");
        Files.writeString(windows, "data=C:\\users\n");
        refused(windows, "windows.properties has a \\u without four hexadecimal digits");
        Path nested = folder.resolve("nested.properties");
        Files.writeString(nested, "config=other\n");
        refused(nested, "nested.properties cannot name another one");
    }

    private static void refused(Path file, String why) {
        assertThatThrownBy(() -> CommandLine.parse(List.of("--config=" + file), Map.of(), KNOWN))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining(why)
                .hasMessageStartingWith("The configuration file " + file.toAbsolutePath())
                .hasMessageNotContaining("Exception");
        assertThatThrownBy(
                        () ->
                                CommandLine.parse(
                                        List.of(), Map.of("SLUICE_CONFIG", file.toString()), KNOWN))
                .hasMessageContaining(why);
    }

    @Test
    void anUnknownSettingNamesTheNearestKnownOne() {
        assertThatThrownBy(() -> BrokerSettings.read(Map.of("kafka.listn", "localhost:1")))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining("did you mean 'kafka.listen'");
        assertThatThrownBy(() -> BrokerSettings.read(Map.of("topic.retention.msx", "1")))
                .hasMessageContaining("retention.ms");
        assertThatThrownBy(() -> BrokerSettings.read(Map.of("kafka.listen", "nowhere")))
                .hasMessageContaining("host:port");
    }
}
