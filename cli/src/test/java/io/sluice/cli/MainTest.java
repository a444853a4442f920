package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a command line leads to before any broker is asked.
@Timeout(60)
class MainTest {
    @ParameterizedTest
    @ValueSource(strings = {"--version", "-V"})
    void versionIsOneLine(String flag) {
        var result = Cli.withoutBroker().run(flag);
        assertThat(result.exitCode()).isEqualTo(0);
        assertThat(result.out()).startsWith("sluice ").contains("Java").hasLineCount(1);
        assertThat(result.out()).as("filled in by the build").doesNotContain("${");
    }

    @Test
    void versionIsAvailableAsJson() {
        assertThat(Cli.withoutBroker().run("--version", "-o", "json").out())
                .contains("\"name\": \"sluice\"", "\"version\": ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "help", "--help", "-h"})
    void helpNamesEveryCommandAndTheExitCodes(String args) {
        var result = Cli.withoutBroker().run(args.isEmpty() ? new String[0] : new String[] {args});
        assertThat(result.exitCode()).isEqualTo(0);
        assertThat(result.out())
                .contains("topic", "send", "tail", "group", "bench", "doctor", "demo", "completion")
                .contains("3 not found");
        assertThat(result.err()).isEmpty();
    }

    @Test
    void helpOfACommandShowsItsOwnOptionsFirst() {
        String help = Cli.withoutBroker().run("topic", "create", "--help").out();
        assertThat(help).contains("--partitions", "--if-not-exists");
        assertThat(help.indexOf("--partitions")).isLessThan(help.indexOf("On every command:"));
        assertThat(help.indexOf("--bootstrap")).isGreaterThan(help.indexOf("On every command:"));
    }

    @Test
    void nounWithoutVerbIsAUsageErrorThatShowsTheVerbs() {
        var result = Cli.withoutBroker().run("topic");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("create", "describe");
    }

    @Test
    void misspeltVerbIsGuessed() {
        var result = Cli.withoutBroker().run("topic", "descrbe", "orders");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).contains("Did you mean: describe?", "'sluice topic --help'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense",
                "topic list -o html",
                "topic list --timeout soon",
                "topic list --timeout 10",
                "topic create",
                "tail orders --from beginning --last 3",
                "tail orders --from yesterday-ish",
                "tail orders --idle 3s",
                "tail orders --group g --from beginning",
                "tail orders --group g --delivery exactly-once",
                "tail orders --values -o json",
                "send orders --delivery twice x",
                "send orders x --json-lines",
                "send orders --tombstone",
                "group reset g",
                "group reset g --to end --shift 1",
                "bench produce --size 3GiB",
                "bench latency --rate 0",
                "bench produce --delivery exactly-once",
                "demo --speed 0",
                "completion fish",
                "topic list --bootstrap nowhere",
                "topic list --command-config /does/not/exist"
            })
    void senselessCommandLinesAreUsageErrorsWithASentence(String line) {
        var result = Cli.withoutBroker().run(line.split(" "));
        assertThat(result.exitCode()).as(result.err()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains(" ").doesNotContain("Exception", "\tat ");
    }

    @Test
    void missingBrokerIsSaidAtOnceWithWhatToDo() {
        var result = Cli.withoutBroker().run("topic", "list");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .contains("127.0.0.1:1", "refuses connections", "./sluice up", "--bootstrap")
                .hasLineCount(1);
    }

    @Test
    void unknownHostIsSaid() {
        var result = Cli.withoutBroker().run("topic", "list", "-b", "no-such-host.invalid:9092");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains("no-such-host.invalid:9092", "does not resolve");
    }

    /// Something accepts connections and never answers: the time-out counts, not kafka-clients' patience.
    @Test
    void silentBrokerIsATimeout() throws Exception {
        try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            var result =
                    Cli.withoutBroker()
                            .run(
                                    "topic",
                                    "list",
                                    "--timeout",
                                    "1s",
                                    "-b",
                                    "127.0.0.1:" + silent.getLocalPort());
            assertThat(result.exitCode()).isEqualTo(4);
            assertThat(result.err()).contains("did not answer in time", "sluice doctor");
        }
    }

    @Test
    void overrideThatBreaksTheDeliveryIsAUsageError() throws Exception {
        try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            var result =
                    Cli.withoutBroker()
                            .run(
                                    "send",
                                    "orders",
                                    "x",
                                    "-X",
                                    "acks=0",
                                    "-b",
                                    "127.0.0.1:" + silent.getLocalPort());
            assertThat(result.exitCode()).isEqualTo(2);
            assertThat(result.err()).contains("delivery=at-least-once", "acks=0");
        }
    }

    @Test
    void wrongClientSettingIsAUsageError() throws Exception {
        try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            var result =
                    Cli.withoutBroker()
                            .run(
                                    "topic",
                                    "list",
                                    "-X",
                                    "request.timeout.ms=soon",
                                    "-b",
                                    "127.0.0.1:" + silent.getLocalPort());
            assertThat(result.exitCode()).isEqualTo(2);
            assertThat(result.err()).contains("request.timeout.ms");
        }
    }

    @Test
    void bootstrapComesFromFlagThenEnvironmentThenFile(@TempDir Path dir) throws Exception {
        Path file = dir.resolve("client.properties");
        Files.writeString(file, "bootstrap.servers=127.0.0.1:2\nclient.rack=r1\n");
        String config = file.toString();
        var nowhere = new Cli();
        assertThat(ClientSettings.of(new SluiceCommand(), Map.of()).bootstrap())
                .isEqualTo("localhost:9092");
        assertThat(nowhere.run("topic", "list", "--command-config", config).err())
                .contains("127.0.0.1:2");
        assertThat(Cli.withoutBroker().run("topic", "list", "--command-config", config).err())
                .contains("127.0.0.1:1");
        assertThat(
                        Cli.withoutBroker()
                                .run(
                                        "topic",
                                        "list",
                                        "--command-config",
                                        config,
                                        "-b",
                                        "127.0.0.1:3")
                                .err())
                .contains("127.0.0.1:3");
    }

    @Test
    void globalOptionsMayStandBeforeTheCommand() {
        var result = Cli.withoutBroker().run("-b", "127.0.0.1:3", "topic", "list");
        assertThat(result.err()).contains("127.0.0.1:3");
    }

    @Test
    void completionScriptCompletesCommands() {
        for (String shell : new String[] {"bash", "zsh"}) {
            var result = Cli.withoutBroker().run("completion", shell);
            assertThat(result.exitCode()).isEqualTo(0);
            assertThat(result.out()).contains("complete -F", "sluice", "describe", "--partitions");
        }
    }
}
