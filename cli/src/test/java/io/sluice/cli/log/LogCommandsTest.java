package io.sluice.cli.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.BrokerUnderTest.BrokerAddress;
import io.sluice.cli.Cli;
import io.sluice.testing.Sluice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/// What is on disk, seen without a broker.
@Timeout(120)
class LogCommandsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir private static Path written;

    @BeforeAll
    static void write() {
        DataOnDisk.write(written);
    }

    @Test
    void batchesAreDumped() {
        List<JsonNode> batches = lines("dump", written.toString(), "-t", "orders");
        assertThat(batches).isNotEmpty();
        assertThat(batches.getFirst().get("partition").asString()).isEqualTo("orders-1");
        assertThat(batches.getFirst().get("baseOffset").asLong()).isZero();
        assertThat(batches.getLast().get("lastOffset").asLong()).isEqualTo(2);
        assertThat(batches.getLast().get("compression").asString()).isEqualTo("lz4");
        assertThat(batches.getFirst().get("producer").asString()).contains("#0");
        long records = batches.stream().mapToLong(batch -> batch.get("records").asLong()).sum();
        assertThat(records).isEqualTo(3);
    }

    @Test
    void recordsAreDumped() {
        List<JsonNode> records = lines("dump", written.toString(), "-t", "orders:1", "--records");
        assertThat(records)
                .extracting(record -> record.get("value").asString())
                .containsExactly("first", "둘째", "third");
        assertThat(records.getFirst().get("key").asString()).isEqualTo("k1");
        assertThat(records.getFirst().get("headers").get("trace").asString()).isEqualTo("42");
        assertThat(lines("dump", written.toString(), "-t", "orders", "--records", "--from", "2"))
                .hasSize(1);
        assertThat(lines("dump", written.toString(), "-t", "orders", "--records", "-n", "2"))
                .hasSize(2);
    }

    @Test
    void soundDirectoryIsSound() {
        var result = Cli.withoutBroker().run("log", "verify", written.toString(), "--records");
        assertThat(result.exitCode()).as(result.out()).isEqualTo(0);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("sound");
    }

    @Test
    void damageIsNamedWithFileAndPosition(@TempDir Path damaged) throws IOException {
        copy(written, damaged);
        Path segment = segmentOf(damaged, "orders-1");
        byte[] bytes = Files.readAllBytes(segment);
        bytes[30] ^= 1;
        Files.write(segment, bytes);
        var result = Cli.withoutBroker().run("log", "verify", damaged.toString(), "-o", "json");
        assertThat(result.exitCode()).isEqualTo(1);
        JsonNode finding = JSON.readTree(result.out()).get(0);
        assertThat(finding.get("partition").asString()).isEqualTo("orders-1");
        assertThat(finding.get("file").asString()).endsWith(String.valueOf(segment.getFileName()));
        assertThat(finding.get("filePosition").asLong()).isZero();
        assertThat(result.err()).contains("damaged");
        assertThat(Cli.withoutBroker().run("log", "dump", damaged.toString()).exitCode())
                .isEqualTo(1);
    }

    @Test
    void directoryInUseCanBeLookedAt(@TempDir Path used) {
        try (var sluice = Sluice.on(used, Map.of())) {
            Cli cli = Cli.at(new BrokerAddress(sluice.bootstrap()));
            cli.run("send", "orders", "hello");
            assertThat(cli.run("log", "verify", used.toString()).exitCode()).isEqualTo(0);
            assertThat(cli.run("log", "dump", used.toString(), "-t", "orders", "--records").out())
                    .contains("hello");
        }
    }

    @Test
    void missingDirectoryIsNotMade(@TempDir Path dir) {
        Path missing = dir.resolve("nothing");
        var result = Cli.withoutBroker().run("log", "verify", missing.toString());
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.err()).contains("is no data directory");
        assertThat(missing).doesNotExist();
        assertThat(
                        Cli.withoutBroker()
                                .run("log", "dump", written.toString(), "-t", "no-such-topic")
                                .exitCode())
                .isEqualTo(3);
    }

    private static List<JsonNode> lines(String verb, String... more) {
        List<String> args = new ArrayList<>(List.of("log", verb));
        args.addAll(List.of(more));
        args.addAll(List.of("-o", "jsonl"));
        var result = Cli.withoutBroker().run(args.toArray(String[]::new));
        assertThat(result.exitCode()).as(result.err()).isEqualTo(0);
        return result.out().lines().map(JSON::readTree).toList();
    }

    private static Path segmentOf(Path data, String partition) throws IOException {
        try (Stream<Path> files = Files.list(data.resolve("log").resolve(partition))) {
            return files.filter(file -> file.toString().endsWith(".log")).findFirst().orElseThrow();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
    }
}
