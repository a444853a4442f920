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
import org.junit.jupiter.params.provider.CsvSource;
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
                .containsPattern("(?m)^  up +Start a broker")
                .containsPattern("(?m)^  chaos ")
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

    @ParameterizedTest
    @ValueSource(strings = {"--help", "topic --help", "help bench"})
    void helpShowsTheCommandsBeforeWhatAllOfThemHave(String line) {
        assertThat(Cli.withoutBroker().run(line.split(" ")).out())
                .containsSubsequence(
                        "Usage: sluice", "Commands:", "On every command:", "--bootstrap");
    }

    @Test
    void nounWithoutVerbIsAUsageErrorThatShowsTheVerbs() {
        var result = Cli.withoutBroker().run("topic");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("create", "describe");
    }

    @ParameterizedTest
    @CsvSource({
        "tial orders, sluice tail, sluice",
        "upp, sluice up, sluice",
        "topics list, sluice topic, sluice",
        "topic descrbe orders, sluice topic describe, sluice topic",
        "topic lsit -o json, sluice topic list, sluice topic",
        "bench comprae, sluice bench compare, sluice bench",
        "gruop delete demo --yes, sluice group, sluice",
        "help tpoic, sluice topic, sluice",
        "help topic craete, sluice topic create, sluice topic",
        "tail orders --fom beginning, --from, sluice tail",
        "tail orders --fom=beginning, --from, sluice tail",
        "topic create orders --partition=3, --partitions, sluice topic create",
        "--bootsrap localhost:1 topic list, --bootstrap, sluice"
    })
    void aSlipOfTheFingerIsUnderstood(String line, String meant, String command) {
        var result = Cli.withoutBroker().run(line.split(" "));
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .contains("; did you mean '" + meant + "'?", "'" + command + " --help' shows how.")
                .hasLineCount(2);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "nonsense, Unknown command 'sluice nonsense'.",
                "ls, Unknown command 'sluice ls'.",
                "start broker, Unknown command 'sluice start'.",
                "topic frobnicate, Unknown command 'sluice topic frobnicate'.",
                "help topic list all, 'sluice topic list' does not take 'all'.",
                "demo now, 'sluice demo' does not take 'now'.",
                "topic list --zookeeper=localhost:2181, Unknown option '--zookeeper'."
            })
    void whatNobodyCanHaveMeantGetsNoHint(String line, String sentence) {
        var result = Cli.withoutBroker().run(line.split(" "));
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).startsWith(sentence + "\n").doesNotContain("did you mean");
    }

    @ParameterizedTest
    @ValueSource(strings = {"topic", "topic create", "bench compare", "cluster up", "help"})
    void helpOfACommandIsTheSameAsAWordAndAsAnOption(String command) {
        var asWord = Cli.withoutBroker().run(("help " + command).split(" "));
        var asOption = Cli.withoutBroker().run((command + " --help").split(" "));
        assertThat(asWord.exitCode()).isEqualTo(0);
        assertThat(asWord.out()).startsWith("Usage: sluice " + command).isEqualTo(asOption.out());
        assertThat(asWord.err()).isEmpty();
    }

    @Test
    void brokerAloneStartsNoneAndShowsWhatCanBeDoneWithThem() {
        var result = Cli.withoutBroker().run("broker");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("list", "drain", "resume", "remove", "'sluice up'");
    }

    @Test
    void nounOfBenchmarksShowsThoseOfTheScriptToo() {
        assertThat(Cli.withoutBroker().run("bench", "--help").out())
                .contains("produce", "compare", "outbox", "listener", "checkout");
    }

    /// The script sees its own words only when they come first.
    @ParameterizedTest
    @CsvSource({
        "-q up --kafka.listen=localhost:1, ./sluice up",
        "-b localhost:1 bench compare --quick, ./sluice bench compare"
    })
    void whatIsTheScriptsSaysSo(String line, String words) {
        var result = Cli.withoutBroker().run(line.split(" "));
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("comes first: " + words + ",");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "topic list -o html",
                "topic list --timeout soon",
                "topic list --timeout 10",
                "topic create",
                "tail orders --from beginning --last 3",
                "tail orders --from yesterday-ish",
                "send orders --lines /does/not/exist",
                "cluster up --brokers 77",
                "send orders --file /does/not/exist",
                "cluster up --port 65500",
                "cluster up --port 8081",
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
            assertThat(result.out())
                    .contains("commands=\"up topic send ")
                    .contains("commands=\"produce consume latency compare outbox listener\"");
        }
    }

    /// The tool's options would be refused behind it.
    @Test
    void completionOfUpOffersNothingThatUpDoesNotTake() {
        String script = Cli.withoutBroker().run("completion", "bash").out();
        int from = script.indexOf("function _picocli_sluice_up()");
        assertThat(script.substring(from, script.indexOf("\n}", from)))
                .contains("--help")
                .doesNotContain("--bootstrap", "--output");
    }

    @Test
    void placesThatAreNoneAreAnsweredWithTheFormsAndExamples() {
        var result = Cli.withoutBroker().run("tail", "orders", "--from", "yesterday");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err())
                .contains("--from", "'yesterday'", "beginning, end, an offset (42)")
                .contains("10m", "2026-11-15T08:30", "@1794700800000");
    }
}
