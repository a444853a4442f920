package io.sluice.conformance.launcher;

import static io.sluice.conformance.launcher.Installation.words;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// What a newcomer types first, and the first things that go wrong.
@Tag("launcher")
class FirstStepsIT {
    private static final String[] UP = {
        "up", "--kafka.listen=127.0.0.1:0", "--admin.listen=127.0.0.1:0"
    };

    /// Refuses anything behind the first value.
    private static final JsonMapper ONE_VALUE =
            JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

    private static final Pattern BOOTSTRAP = Pattern.compile("bootstrap\\.servers=(\\S+)");

    @TempDir private static Path installed;
    private static Installation installation;

    @TempDir private Path folder;

    @BeforeAll
    static void install() throws IOException {
        // Spaces and Korean in the path: somebody's desktop.
        installation =
                Installation.built(installed.toRealPath(), "my sluice 슬루스").withoutTraining();
    }

    /// In the folder of the script.
    private static Shell.Result run(String... words) {
        return installation.shell().run(words("./sluice", words));
    }

    /// In a folder of the test's own.
    private Shell.Running up(String... flags) {
        return installation.shell().in(folder).start(words(script(), flags));
    }

    private static String script() {
        return installation.home().resolve("sluice").toString();
    }

    @Test
    void withoutAWordItSaysHowToStartAndWhatElseThereIs() {
        Shell.Result result = run();
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).contains("sluice up", "topic", "send", "tail", "doctor");
        assertThat(result.err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense", "upp", "topic nonsense"})
    void anUnknownCommandIsAUsageErrorOnStderr(String line) {
        Shell.Result result = run(line.split(" "));
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("--help").doesNotContain("\tat ", "Exception");
    }

    /// By whoever does the work: the broker lists its settings, the tool its options.
    @Test
    void helpIsAWordForEveryCommand() {
        assertThat(run("help", "up").out()).isEqualTo(run("up", "--help").out());
        assertThat(run("help", "up").out()).contains("Usage: sluice up", "--kafka.listen=");
        assertThat(run("help", "topic", "create").out()).contains("Usage: sluice topic create");
    }

    @Test
    void brokerAloneStartsNone() {
        Shell.Result result = run("broker");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("Usage: sluice broker", "drain", "remove");
    }

    /// The tool lists them; it is the script that does them.
    @ParameterizedTest
    @ValueSource(strings = {"chaos", "bench compare", "bench outbox", "bench listener"})
    void whatNeedsTheSourcesSaysSoWithoutThem(String line) {
        Shell.Result result = run(line.split(" "));
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .isEqualTo("'" + line + "' runs from a checkout of Sluice's sources.\n");
        assertThat(run(("help " + line).split(" ")).err()).isEqualTo(result.err());
    }

    @Test
    void aConfigurationFileThatIsNotThereIsASentence() {
        Shell.Result result = run("up", "--config", "missing.properties");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .contains(installation.home().resolve("missing.properties") + " does not exist")
                .contains("--config")
                .doesNotContain("Exception");
    }

    /// In the words of the command that was typed, and before any broker has begun.
    @Test
    void aClusterOnATakenPortIsOneSentence() throws IOException {
        try (ServerSocket held = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = "" + held.getLocalPort();
            Shell.Result result =
                    installation
                            .shell()
                            .in(folder)
                            .run(
                                    words(
                                            script(),
                                            "cluster",
                                            "up",
                                            "--brokers",
                                            "1",
                                            "--port",
                                            port));
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.out()).isEmpty();
            assertThat(result.err())
                    .contains("Port " + port + ", for Kafka clients of broker 1", "with --port.")
                    .doesNotContain("kafka.listen", "Exception", "\tat ")
                    .hasLineCount(1);
        }
        assertThat(folder.resolve("cluster")).doesNotExist();
    }

    @Test
    void anUnknownSettingOfUpIsAUsageError() {
        Shell.Result result = run("up", "--kafka.lisen=127.0.0.1:0");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err())
                .contains("kafka.lisen", "sluice up --help")
                .doesNotContain("\tat ");
    }

    /// The script answers by itself, because Java would take longer; what it says must be what Java says.
    @Test
    void theVersionIsTheSameWhoeverIsAsked() {
        Shell.Result script = run("--version");
        Shell.Result java =
                installation
                        .shell()
                        .with("LC_ALL", "C.UTF-8")
                        .run(
                                words(
                                        Path.of(System.getProperty("java.home"), "bin/java")
                                                .toString(),
                                        "--sun-misc-unsafe-memory-access=allow",
                                        "-jar",
                                        installation
                                                .staged()
                                                .resolve("cli/sluice-cli.jar")
                                                .toString(),
                                        "--version"));
        assertThat(script.exitCode()).isZero();
        assertThat(script.out()).isEqualTo(java.out());
    }

    /// From another folder, by a link, without a locale, in a path with spaces.
    @Test
    void aBrokerServesFromWhereItWasStartedAndStopsWhenAsked() throws IOException {
        Path elsewhere = Files.createDirectories(folder.resolve("some where/else"));
        Path link = Files.createSymbolicLink(folder.resolve("sl"), installation.home());
        String command =
                Files.createSymbolicLink(
                                folder.resolve("command"),
                                folder.relativize(link).resolve("sluice"))
                        .toString();
        Shell there = installation.shell().in(elsewhere);
        try (Shell.Running broker = there.start(words(command, UP))) {
            String bootstrap = bootstrap(broker);
            assertThat(
                            there.run(words(command, "send", "greetings", "안녕하세요", "-b", bootstrap))
                                    .exitCode())
                    .isZero();
            Shell.Result read =
                    there.run(
                            words(
                                    command,
                                    "tail",
                                    "greetings",
                                    "--beginning",
                                    "-b",
                                    bootstrap,
                                    "-o",
                                    "jsonl"));
            assertThat(read.out()).contains("안녕하세요").hasLineCount(1);
            // 128 + 15: the JVM has stopped in order and names the signal that asked for it.
            assertThat(broker.stop().exitCode()).isIn(0, 143);
        }
        assertThat(elsewhere.resolve("data/log")).isDirectory();
        assertThat(installation.home().resolve("data")).doesNotExist();
        try (Shell.Running again = there.start(words(command, UP))) {
            assertThat(
                            there.run(
                                            words(
                                                    command,
                                                    "tail",
                                                    "greetings",
                                                    "--beginning",
                                                    "-b",
                                                    bootstrap(again)))
                                    .out())
                    .contains("안녕하세요");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"kafka.listen", "admin.listen"})
    void aTakenPortIsOneSentenceThatNamesItAndTheSetting(String setting) throws IOException {
        try (ServerSocket held = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + held.getLocalPort();
            String[] flags = UP.clone();
            flags[setting.startsWith("kafka") ? 1 : 2] = "--" + setting + "=" + address;
            Shell.Result result;
            try (Shell.Running refused = up(flags)) {
                result = refused.await();
            }
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.out()).isEmpty();
            assertThat(sentence(result)).contains(address, "already in use", "--" + setting);
        }
        // Its data directory is free again, and whole.
        try (Shell.Running broker = up(UP)) {
            bootstrap(broker);
        }
    }

    /// With the exit code by which a service manager knows that it will not pass: EX_CONFIG.
    @Test
    void theDataOfAnotherNodeIsRefused() {
        try (Shell.Running broker = up(UP)) {
            bootstrap(broker);
        }
        String[] another = Arrays.copyOf(UP, UP.length + 1);
        another[UP.length] = "--node.id=7";
        try (Shell.Running refused = up(another)) {
            Shell.Result result = refused.await();
            assertThat(result.exitCode()).isEqualTo(78);
            assertThat(sentence(result)).contains("belongs to node 1, this is node 7");
        }
    }

    @Test
    void aSecondBrokerOnTheSameDataIsToldWhoHasIt() {
        try (Shell.Running first = up(UP)) {
            bootstrap(first);
            Shell.Result second;
            try (Shell.Running refused = up(UP)) {
                second = refused.await();
            }
            assertThat(second.exitCode()).isEqualTo(1);
            assertThat(second.out()).isEmpty();
            assertThat(sentence(second))
                    .contains(folder.resolve("data").toString())
                    .contains("process " + first.process().pid());
            assertThat(first.process().isAlive()).isTrue();
        }
    }

    @Test
    void aLogForMachinesIsOneObjectInEachLine() {
        try (Shell.Running broker =
                up(UP[0], UP[1], UP[2], "--logging.format=json", "--logging.level=debug")) {
            String bootstrap = bootstrap(broker);
            assertThat(run("send", "greetings", "hello", "-b", bootstrap).exitCode()).isZero();
            List<String> lines = broker.stop().err().lines().toList();
            assertThat(lines).anySatisfy(line -> assertThat(line).contains("Ready: "));
            assertThat(lines)
                    .allSatisfy(
                            line -> {
                                JsonNode object = ONE_VALUE.readTree(line);
                                assertThat(object.isObject()).isTrue();
                                assertThat(object.path("level").asString()).isNotEmpty();
                                assertThat(object.path("message").asString()).isNotEmpty();
                                assertThat(object.path("timestamp").isMissingNode()).isFalse();
                            });
        }
    }

    /// The last line, which is the only one that is not of the log.
    private static String sentence(Shell.Result result) {
        assertThat(result.err()).doesNotContain("\tat ", "Exception");
        return result.err()
                .lines()
                .filter(line -> !line.matches("\\d{4}-\\d\\d-\\d\\dT.*"))
                .reduce((one, two) -> one + "\n" + two)
                .filter(text -> text.lines().count() == 1)
                .orElseThrow(() -> new AssertionError("not one sentence:\n" + result.err()));
    }

    private static String bootstrap(Shell.Running broker) {
        broker.awaitOut(out -> BOOTSTRAP.matcher(out).find() && out.contains("Ctrl-C"));
        Matcher found = BOOTSTRAP.matcher(broker.out());
        assertThat(found.find()).isTrue();
        return found.group(1);
    }

    /// The first start trains a cache in the background, which later ones use.
    @Test
    void theFirstStartTrainsACacheThatLaterOnesUse() throws IOException {
        Path cache = installation.staged().resolve("broker/aot");
        Files.delete(installation.staged().resolve("broker/training"));
        try (Shell.Running first = up(UP)) {
            bootstrap(first);
            first.awaitOut(_ -> Files.exists(cache));
        }
        // With a cache that is not for this JVM and these jars, it would refuse to start.
        Shell strict = installation.shell().in(folder).with("SLUICE_BROKER_OPTS", "-XX:AOTMode=on");
        try (Shell.Running second = strict.start(words(script(), UP))) {
            bootstrap(second);
        }
    }
}
