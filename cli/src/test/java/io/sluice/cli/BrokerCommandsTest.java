package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.BrokerUnderTest.BrokerAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/// Topics and messages through the command line, on the broker under test.
@ExtendWith(BrokerUnderTest.class)
@Timeout(120)
class BrokerCommandsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String topic = "cli-test-" + UUID.randomUUID();
    private Cli cli = Cli.withoutBroker();

    @BeforeEach
    void connect(BrokerAddress broker) {
        cli = Cli.at(broker);
    }

    @Test
    void topicLivesFromCreateToDelete() {
        ok("topic", "create", topic, "-p", "3", "-c", "retention.ms=3600000");
        JsonNode described = json("topic", "describe", topic);
        assertThat(described.get("partitions").size()).isEqualTo(3);
        assertThat(described.get("partitions").get(0).get("lag").asLong()).isZero();
        assertThat(described.get("configs").toString()).contains("retention.ms", "3600000");
        assertThat(ok("topic", "list", "-o", "name").lines()).contains(topic);

        JsonNode altered = json("topic", "alter", topic, "-p", "5", "-s", "retention.ms=60000");
        assertThat(altered.toString()).contains("\"before\":\"3600000\"", "\"after\":\"60000\"");
        assertThat(json("topic", "describe", topic).get("partitions").size()).isEqualTo(5);

        var dry = cli.run("topic", "delete", topic);
        assertThat(dry.out()).contains("would be deleted");
        assertThat(dry.err()).contains("Nothing was deleted", "--yes");
        assertThat(json("topic", "describe", topic).get("name").asString()).isEqualTo(topic);

        ok("topic", "delete", topic, "--yes");
        assertThat(cli.run("topic", "describe", topic).exitCode()).isEqualTo(3);
    }

    @Test
    void movesAreLimitedForTheWholeCluster() {
        JsonNode limited = json("rebalance", "--status", "--throttle", "5MiB");
        assertThat(limited.get("throttle").asLong()).isEqualTo(5 << 20);
        assertThat(limited.get("moving").asInt()).isZero();
        assertThat(limited.get("moves").size()).isZero();
        assertThat(json("rebalance", "--status").get("throttle").asLong()).isEqualTo(5 << 20);
        assertThat(json("rebalance", "--cancel", "--throttle", "0").get("throttle").asLong())
                .isZero();
        assertThat(cli.run("rebalance", "--status", "--cancel").exitCode()).isEqualTo(2);
        assertThat(json("cluster", "health").get("damagedPlaces").asInt()).isZero();
    }

    @Test
    void failuresHaveTheirCodesAndSentences() {
        ok("topic", "create", topic);
        var exists = cli.run("topic", "create", topic);
        assertThat(exists.exitCode()).isEqualTo(1);
        assertThat(exists.err()).contains("exists already", "--if-not-exists");
        assertThat(cli.run("topic", "create", topic, "--if-not-exists").exitCode()).isEqualTo(0);
        assertThat(cli.run("topic", "create", topic, topic + "-b").exitCode())
                .as("one of two")
                .isEqualTo(6);
        assertThat(cli.run("topic", "alter", topic, "-p", "1").exitCode()).isEqualTo(1);
        assertThat(cli.run("topic", "create", "no/such/name").exitCode()).isEqualTo(1);
        assertThat(cli.run("topic", "list", "no-such-*").exitCode()).isEqualTo(3);
        assertThat(cli.run("tail", topic + "-missing").exitCode()).isEqualTo(3);
        assertThat(cli.run("group", "describe", "no-such-group").exitCode()).isEqualTo(3);
        assertThat(cli.run("tail", topic).exitCode()).as("empty").isEqualTo(3);
    }

    @Test
    void messagesAreSentWithKeyHeadersAndPartition() {
        ok("topic", "create", topic, "-p", "3");
        JsonNode report =
                json("send", topic, "안녕", "hello", "-k", "k1", "-H", "trace=42", "-p", "2");
        assertThat(report.get(0).get("messages").asLong()).isEqualTo(2);
        assertThat(report.get(0).get("lastOffset").asLong()).isEqualTo(1);

        JsonNode shown = json("tail", topic);
        assertThat(shown.size()).isEqualTo(2);
        assertThat(shown.get(0).get("value").asString()).isEqualTo("안녕");
        assertThat(shown.get(0).get("key").asString()).isEqualTo("k1");
        assertThat(shown.get(0).get("partition").asInt()).isEqualTo(2);
        assertThat(shown.get(0).get("headers").get("trace").asString()).isEqualTo("42");
    }

    /// A producer would have the broker make the topic first, and look for the partition then.
    @Test
    void partitionThatIsNotThereMakesNoTopic() {
        var refused = cli.run("send", topic, "hello", "--partition", "5");
        assertThat(refused.exitCode()).isEqualTo(3);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err())
                .contains("no topic '" + topic + "' with a partition 5", "none was made")
                .contains("sluice topic create " + topic + " --partitions 6")
                .hasLineCount(1);
        assertThat(ok("topic", "list", "-o", "name").lines()).doesNotContain(topic);

        assertThat(cli.run("send", topic, "hello", "--partition", "-1").exitCode()).isEqualTo(2);
        assertThat(ok("topic", "list", "-o", "name").lines()).doesNotContain(topic);

        ok("topic", "create", topic, "-p", "3");
        var beyond = cli.run("send", topic, "hello", "--partition", "5");
        assertThat(beyond.exitCode()).isEqualTo(3);
        assertThat(beyond.err())
                .contains("'" + topic + "' has no partition 5: it has 0 to 2")
                .contains("sluice topic alter " + topic + " --partitions 6")
                .hasLineCount(1);
    }

    @Test
    void whatWasSentBeforeAWrongPartitionIsTold() {
        ok("topic", "create", topic, "-p", "2");
        cli.reading("{\"value\":\"a\",\"partition\":1}\n{\"value\":\"b\",\"partition\":2}\n");
        var partly = cli.run("send", topic, "--json-lines");
        assertThat(partly.exitCode()).isEqualTo(6);
        assertThat(partly.err()).contains("1 messages were sent, then it failed: Topic '" + topic);
    }

    @Test
    void firstPartitionOfANewTopicIsMadeOnFirstUse() {
        ok("send", topic, "hello", "--partition", "0");
        assertThat(json("tail", topic).get(0).get("value").asString()).isEqualTo("hello");
    }

    @Test
    void linesFilesAndTombstonesAreSent(@TempDir Path dir) throws Exception {
        ok("topic", "create", topic, "-p", "1");
        Path file = dir.resolve("blob");
        Files.write(file, new byte[] {(byte) 0xff, 0, 10, 13});
        Path lines = dir.resolve("lines");
        Files.writeString(lines, "a:1\nb:2\n");
        ok("send", topic, "--file", file.toString());
        ok("send", topic, "--lines", lines.toString(), "--key-separator", ":");
        cli.reading("from stdin\n");
        ok("send", topic);
        ok("send", topic, "-k", "a", "--tombstone");
        JsonNode shown = json("tail", topic);
        assertThat(shown.size()).isEqualTo(5);
        assertThat(shown.get(0).get("valueBase64").asString()).isEqualTo("/wAKDQ==");
        assertThat(shown.get(2).get("key").asString()).isEqualTo("b");
        assertThat(shown.get(2).get("value").asString()).isEqualTo("2");
        assertThat(shown.get(3).get("value").asString()).isEqualTo("from stdin");
        assertThat(shown.get(4).get("value").isNull()).isTrue();
    }

    /// Ten thousand lines through a pipe, out as JSON, into another topic, and out again: nothing changes.
    @Test
    void topicIsCopiedThroughAPipe() {
        String copy = topic + "-copy";
        ok("topic", "create", topic, copy, "-p", "3");
        String lines =
                IntStream.range(0, 10_000)
                        .mapToObj(i -> i % 7 + ":message " + i)
                        .collect(Collectors.joining("\n"));
        cli.reading(lines);
        ok("send", topic, "--key-separator", ":", "--profile", "throughput");
        String dumped = ok("tail", topic, "--from", "beginning", "-o", "jsonl");
        assertThat(dumped).hasLineCount(10_000);
        cli.reading(dumped);
        ok("send", copy, "--json-lines");
        List<String> before = values(dumped);
        List<String> after = values(ok("tail", copy, "--from", "beginning", "-o", "jsonl"));
        assertThat(after).containsExactlyInAnyOrderElementsOf(before);
    }

    @Test
    void tailStartsWhereItIsTold() {
        ok("topic", "create", topic, "-p", "1");
        cli.reading(
                IntStream.range(0, 30).mapToObj(String::valueOf).collect(Collectors.joining("\n")));
        ok("send", topic);
        assertThat(tail()).as("the last ten").startsWith("20").hasSize(10);
        assertThat(tail("--last", "3")).containsExactly("27", "28", "29");
        assertThat(tail("--from", "beginning")).hasSize(30).startsWith("0");
        assertThat(tail("--from", "beginning", "-n", "4")).containsExactly("0", "1", "2", "3");
        assertThat(tail("--beginning")).hasSize(30);
        assertThat(tail("--from", "28")).containsExactly("28", "29");
        assertThat(tail("--from", "1h")).hasSize(30);
        assertThat(tail("--from", "beginning", "--grep", "7")).containsExactly("7", "17", "27");
        assertThat(cli.run("tail", topic, "--from", "0s").exitCode()).isEqualTo(3);
        assertThat(cli.run("tail", topic, "-p", "9").exitCode()).isEqualTo(3);
        assertThat(tail("-f", "--from", "beginning", "-n", "30"))
                .as("ends when it has them")
                .hasSize(30);
        var waited = cli.run("tail", topic, "-f", "--last", "2", "-n", "5", "--idle", "500ms");
        assertThat(waited.exitCode()).as("fewer than asked for").isEqualTo(4);
        assertThat(waited.err()).contains("Only 2 of 5");
    }

    @Test
    void tailFiltersByKeyAndHeader() {
        ok("topic", "create", topic, "-p", "3");
        ok("send", topic, "1", "-k", "a", "-H", "type=paid");
        ok("send", topic, "2", "-k", "b", "-H", "type=paid");
        ok("send", topic, "3", "-k", "a", "-H", "type=open");
        assertThat(tail("-k", "a")).containsExactly("1", "3");
        assertThat(tail("-k", "a", "-H", "type=paid")).containsExactly("1");
        assertThat(cli.run("tail", topic, "-k", "zzz").exitCode()).isEqualTo(3);
    }

    @Test
    void everyDeliveryAndProfileSends() {
        ok("topic", "create", topic, "-p", "1");
        int count = 0;
        for (String delivery : List.of("at-most-once", "at-least-once")) {
            for (String profile : List.of("throughput", "latency", "balanced")) {
                ok("send", topic, "x", "--delivery", delivery, "--profile", profile);
                count++;
            }
        }
        // At-most-once does not wait for the broker, so its messages may arrive a little later.
        var all =
                cli.run(
                        "tail",
                        topic,
                        "--from",
                        "beginning",
                        "-f",
                        "-n",
                        String.valueOf(count),
                        "--idle",
                        "10s");
        assertThat(all.exitCode()).isEqualTo(0);
    }

    @Test
    void tooLargeAMessageIsRefusedWithItsReason(@TempDir Path dir) throws Exception {
        ok("topic", "create", topic);
        Path file = dir.resolve("large");
        Files.write(file, new byte[2_000_000]);
        var result = cli.run("send", topic, "--file", file.toString());
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains("max.request.size");
    }

    private List<String> tail(String... more) {
        String[] args = new String[more.length + 3];
        args[0] = "tail";
        args[1] = topic;
        args[2] = "--values";
        System.arraycopy(more, 0, args, 3, more.length);
        return ok(args).lines().toList();
    }

    private static List<String> values(String jsonLines) {
        return jsonLines
                .lines()
                .map(JSON::readTree)
                .map(node -> node.get("key").asString() + node.get("value").asString())
                .toList();
    }

    private String ok(String... args) {
        var result = cli.run(args);
        assertThat(result.exitCode()).as(String.join(" ", args) + ": " + result.err()).isEqualTo(0);
        return result.out();
    }

    private JsonNode json(String... args) {
        String[] withFormat = Arrays.copyOf(args, args.length + 2);
        withFormat[args.length] = "-o";
        withFormat[args.length + 1] = "json";
        return JSON.readTree(ok(withFormat));
    }
}
