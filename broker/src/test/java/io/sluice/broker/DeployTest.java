package io.sluice.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.settings.SettingDefinition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The examples in `deploy/` are read as a broker reads them, so that they cannot rot.
class DeployTest {
    private static final Path DEPLOY = Path.of("..", "deploy");
    private static final Path SYSTEMD = Path.of("/usr/bin/systemd-analyze");

    private static final Set<String> KNOWN =
            BrokerSettings.read(Map.of()).definitions().stream()
                    .map(SettingDefinition::name)
                    .collect(Collectors.toSet());

    @TempDir Path folder;

    /// The secrets that the files name are somewhere else here.
    private BrokerSettings fromFile(Path file) {
        Map<String, String> settings =
                new HashMap<>(
                        CommandLine.parse(List.of("--config=" + file), Map.of(), KNOWN).settings());
        settings.replaceAll(
                (name, value) -> name.matches(".*-(file|store)") ? secret(name).toString() : value);
        return BrokerSettings.read(settings);
    }

    private Path secret(String name) {
        try {
            return Files.writeString(folder.resolve(name), "secret");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"embedded", "external"})
    void threeBrokersAreOneCluster(String kind) throws IOException {
        List<BrokerSettings> brokers = new ArrayList<>();
        try (Stream<Path> files = Files.list(DEPLOY.resolve(kind))) {
            files.sorted().forEach(file -> brokers.add(fromFile(file)));
        }
        assertThat(brokers).map(one -> one.broker().nodeId()).containsExactly(1, 2, 3);
        assertThat(brokers).map(one -> one.broker().rack()).doesNotHaveDuplicates();
        assertThat(brokers).map(one -> one.broker().kafkaAdvertise()).doesNotHaveDuplicates();
        assertThat(brokers).map(BrokerSettings::cluster).containsOnly(brokers.getFirst().cluster());
        assertThat(brokers).noneMatch(one -> one.cluster().isSingleNode());
        for (BrokerSettings one : brokers) {
            assertThat(one.broker().topics().defaultReplicationFactor()).isEqualTo(3);
            assertThat(one.topicDefaults()).containsEntry("min.insync.replicas", "2");
        }
    }

    @Test
    void theFilesOfOneKindDifferOnlyInWhatTheySay() throws IOException {
        for (String kind : List.of("embedded", "external")) {
            Set<String> texts = new TreeSet<>();
            for (int id = 1; id <= 3; id++) {
                texts.add(
                        Files.readString(
                                        DEPLOY.resolve(kind)
                                                .resolve("broker-" + id + ".properties"))
                                .replace("Broker " + id, "Broker N")
                                .replace("on broker-" + id, "on broker-N")
                                .replace("node.id=" + id, "node.id=N")
                                .replace("broker.rack=zone-" + id, "broker.rack=zone-N")
                                .replace(
                                        "kafka.advertise=broker-" + id,
                                        "kafka.advertise=broker-N"));
            }
            assertThat(texts).as(kind).hasSize(1);
        }
    }

    /// What the containers are told is what a broker understands.
    @Test
    void theComposeFileSetsWhatThereIs() throws IOException {
        String compose = Files.readString(DEPLOY.resolve("compose.yaml"));
        Matcher lines =
                Pattern.compile("^ +(SLUICE_[A-Z_]+): \"?([^\"\n]+)\"?$", Pattern.MULTILINE)
                        .matcher(compose);
        Map<String, String> common = new HashMap<>();
        List<Map<String, String>> brokers = new ArrayList<>();
        while (lines.find()) {
            if (lines.group(1).equals("SLUICE_NODE_ID")) {
                brokers.add(new HashMap<>(common));
            }
            (brokers.isEmpty() ? common : brokers.getLast()).put(lines.group(1), lines.group(2));
        }
        assertThat(brokers).hasSize(3);
        assertThat(common).containsKey("SLUICE_CLUSTER_ENSEMBLE");
        for (int i = 0; i < 3; i++) {
            BrokerSettings broker =
                    BrokerSettings.read(
                            CommandLine.parse(List.of(), brokers.get(i), KNOWN).settings());
            assertThat(broker.broker().nodeId()).isEqualTo(i + 1);
            assertThat(broker.cluster().isSingleNode()).isFalse();
            assertThat(broker.broker().kafkaAdvertise())
                    .endsWith(":" + broker.broker().kafkaListen().port());
        }
    }

    /// Where there is systemd: it finds nothing wrong but that the broker is not installed, which is mended here.
    @Test
    @EnabledOnOs(OS.LINUX)
    void systemdUnderstandsTheUnit() throws Exception {
        assumeTrue(Files.isExecutable(SYSTEMD), "skipped: there is no " + SYSTEMD);
        Path unit = folder.resolve("sluice.service");
        Files.writeString(
                unit,
                Files.readString(DEPLOY.resolve("sluice.service"))
                        .replaceAll("(?m)^ExecStart=.*$", "ExecStart=/bin/true"));
        Process process =
                new ProcessBuilder(SYSTEMD.toString(), "verify", unit.toString())
                        .redirectErrorStream(true)
                        .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said).isEmpty();
    }

    /// What somebody has to mend is not tried again for ever; what may pass is.
    @Test
    void theUnitStartsAgainWhatMayPass() throws IOException {
        assertThat(Files.readString(DEPLOY.resolve("sluice.service")))
                .contains(
                        "Restart=on-failure",
                        "RestartPreventExitStatus="
                                + ExitStatus.USAGE.code()
                                + " "
                                + ExitStatus.REFUSED.code()
                                + "\n");
        assertThat(ExitStatus.FAILED.code()).isNotIn(ExitStatus.USAGE.code(), 78);
    }

    @Test
    void theUnitStartsWhatTheExamplesConfigure() throws IOException {
        String unit = Files.readString(DEPLOY.resolve("sluice.service"));
        assertThat(unit)
                .contains(
                        "ExecStart=/opt/sluice/sluice up --config=/etc/sluice/sluice.properties",
                        "KillSignal=SIGTERM",
                        "ReadWritePaths=/var/lib/sluice");
        assertThat(Files.readString(DEPLOY.resolve("embedded/broker-1.properties")))
                .contains("data=/var/lib/sluice");
    }
}
