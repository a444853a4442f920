package io.sluice.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.settings.InvalidSetting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandLineTest {
    private static final Set<String> KNOWN =
            Set.of("kafka.listen", "log.flush-interval", "topic.retention.ms");

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

    @Test
    void theDataDirectoryHasADefault() {
        assertThat(CommandLine.parse(List.of(), Map.of(), KNOWN).data()).isEqualTo(Path.of("data"));
        assertThat(
                        CommandLine.parse(
                                        List.of("--data", "/x"), Map.of("SLUICE_DATA", "/y"), KNOWN)
                                .data())
                .isEqualTo(Path.of("/x"));
    }

    @Test
    void whatIsNoFlagIsRefused() {
        assertThatThrownBy(() -> CommandLine.parse(List.of("start"), Map.of(), KNOWN))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining("'start' is not a flag");
        assertThatThrownBy(() -> CommandLine.parse(List.of("--data"), Map.of(), KNOWN))
                .hasMessageContaining("needs a value");
        assertThatThrownBy(
                        () -> CommandLine.parse(List.of("--config=/no/such/file"), Map.of(), KNOWN))
                .hasMessageContaining("/no/such/file");
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
