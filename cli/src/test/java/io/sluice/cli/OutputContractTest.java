package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.BrokerUnderTest.BrokerAddress;
import io.sluice.cli.log.DataOnDisk;
import io.sluice.cli.output.Format;
import io.sluice.fixtures.Postgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/// Every command in every format: what is promised to programs can be read by programs.
@Timeout(300)
class OutputContractTest {
    /// What the broker of a test cannot do: there are no others, and none can be started.
    private static final Set<String> REFUSED_HERE =
            Set.of("cluster up", "broker drain", "broker resume", "broker remove");

    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void commandsWithoutBrokerKeepTheContract() {
        for (String command : List.of("doctor", "completion", "log dump")) {
            for (Format format : Format.values()) {
                check(Cli.withoutBroker(), command, format, List.of(0, 1));
            }
        }
    }

    @BeforeAll
    static void writeData() {
        Path data = Path.of(CommandExamples.DATA);
        if (!Files.exists(data)) {
            DataOnDisk.write(data);
        }
    }

    @ExtendWith({BrokerUnderTest.class, DatabaseUnderTest.class})
    @ParameterizedTest
    @MethodSource("io.sluice.cli.CommandContractTest#leaves")
    void everyCommandKeepsTheContract(
            CommandLine command, BrokerAddress broker, Postgres database) {
        Cli cli = Cli.at(broker).with("SLUICE_DATABASE", database.url());
        OutboxCommandsTest.fill(database);
        cli.run("topic", "create", CommandExamples.TOPIC, "--if-not-exists", "-p", "2");
        cli.run("send", CommandExamples.TOPIC, "a", "b", "c");
        cli.run(
                "tail",
                CommandExamples.TOPIC,
                "-g",
                CommandExamples.GROUP,
                "-n",
                "1",
                "--idle",
                "20s");
        for (Format format : Format.values()) {
            check(cli, CommandContractTest.words(command), format, List.of(0));
        }
    }

    private static void check(Cli cli, String command, Format format, List<Integer> exitCodes) {
        List<String> args = new ArrayList<>(CommandExamples.of(command));
        args.addAll(List.of("-o", format.name()));
        var result = cli.run(args.toArray(String[]::new));
        if (REFUSED_HERE.contains(command)) {
            assertThat(result.exitCode()).as(args + " " + result.err()).isEqualTo(1);
            assertThat(result.err()).isNotBlank();
            assertThat(result.out()).isEmpty();
            return;
        }
        assertThat(result.exitCode()).as(args + " " + result.err()).isIn(exitCodes);
        if (!command.equals("log verify")) { // which has nothing to say about a sound log
            assertThat(result.out()).as(args + " prints to stdout").isNotBlank().endsWith("\n");
        }
        switch (format) {
            case table -> {}
            case json -> {
                JsonNode document = JSON.readTree(result.out());
                assertThat(document.isArray() || document.isObject()).isTrue();
            }
            case jsonl ->
                    result.out()
                            .lines()
                            .forEach(line -> assertThat(JSON.readTree(line).isObject()).isTrue());
            case yaml -> {
                Object document =
                        new Load(LoadSettings.builder().build()).loadFromString(result.out());
                assertThat(document).isInstanceOfAny(List.class, Map.class);
            }
            case name -> assertThat(result.out().lines()).noneMatch(String::isBlank);
        }
    }
}
