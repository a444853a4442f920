package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.BrokerUnderTest.BrokerAddress;
import io.sluice.client.ConsumeLoop;
import io.sluice.client.Delivery;
import io.sluice.client.OnFailure;
import io.sluice.client.Preset;
import io.sluice.client.Profile;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/// Groups through the command line, on the broker under test.
@ExtendWith(BrokerUnderTest.class)
@Timeout(120)
class BrokerGroupsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String topic = "cli-test-" + UUID.randomUUID();
    private final String group = "group-of-" + topic;
    private Cli cli = Cli.withoutBroker();

    @BeforeEach
    void thirtyMessagesOfWhichTenAreRead(BrokerAddress broker) {
        cli = Cli.at(broker);
        ok("topic", "create", topic, "-p", "1");
        cli.reading(
                IntStream.range(0, 30).mapToObj(String::valueOf).collect(Collectors.joining("\n")));
        ok("send", topic);
        ok("tail", topic, "--group", group, "-n", "10");
    }

    @Test
    void lagIsShownInMessagesAndInTime() {
        JsonNode described = json("group", "describe", group);
        assertThat(described.get("lagMessages").asLong()).isEqualTo(20);
        assertThat(described.get("lagSeconds").asDouble()).isGreaterThan(0);
        JsonNode partition = described.get("partitions").get(0);
        assertThat(partition.get("committedOffset").asLong()).isEqualTo(10);
        assertThat(partition.get("nextOffset").asLong()).isEqualTo(30);

        JsonNode listed = null;
        for (JsonNode row : json("group", "list")) {
            if (row.get("name").asString().equals(group)) {
                listed = row;
            }
        }
        assertThat(listed).isNotNull();
        assertThat(String.valueOf(listed)).contains("\"lagMessages\":20");
        assertThat(ok("group", "list", "--fast", "-o", "name").lines()).contains(group);
    }

    @Test
    void nothingUnreadIsNoTimeBehind() {
        ok("tail", topic, "--group", group, "-n", "20");
        JsonNode described = json("group", "describe", group);
        assertThat(described.get("lagMessages").asLong()).isZero();
        assertThat(described.get("lagSeconds").asDouble()).isZero();
    }

    @Test
    @DisplayName("Q4: messages are consumed again from any offset or time")
    void resetShowsFirstAndActsWithYes() {
        var dry = cli.run("group", "reset", group, "--to", "beginning");
        assertThat(dry.exitCode()).isEqualTo(0);
        assertThat(dry.err()).contains("Nothing was changed", "--yes");
        assertThat(committed()).isEqualTo(10);

        ok("group", "reset", group, "--to", "beginning", "--yes");
        assertThat(committed()).isEqualTo(0);
        ok("group", "reset", group, "--shift", "7", "--yes");
        assertThat(committed()).isEqualTo(7);
        ok("group", "reset", group, "--shift", "-100", "--yes");
        assertThat(committed()).as("not before the beginning").isEqualTo(0);
        ok("group", "reset", group, "--to", "25", "--topic", topic + ":0", "--yes");
        assertThat(committed()).isEqualTo(25);
        ok("group", "reset", group, "--to", "latest", "--yes");
        assertThat(committed()).isEqualTo(30);
        ok("group", "reset", group, "--to", "1h", "--yes");
        assertThat(committed()).isEqualTo(0);
        ok("group", "reset", group, "--to", "0s", "--yes");
        assertThat(committed()).as("nothing since then").isEqualTo(30);
        ok("group", "reset", group, "--to", "beginning", "--yes");
        assertThat(ok("tail", topic, "--group", group, "-n", "1", "--values")).isEqualTo("0\n");
    }

    @Test
    void groupCanBeGivenOffsetsBeforeItExists() {
        String fresh = group + "-fresh";
        assertThat(cli.run("group", "reset", fresh, "--to", "latest").exitCode()).isEqualTo(3);
        ok("group", "reset", fresh, "--to", "latest", "--topic", topic, "--yes");
        assertThat(json("group", "describe", fresh).get("lagMessages").asLong()).isZero();
    }

    @Test
    void liveGroupIsLeftAloneAndSaysWhy(BrokerAddress broker) throws Exception {
        var working = new CountDownLatch(1);
        try (var member = member(broker, working)) {
            Thread.ofPlatform().start(() -> member.run(List.of(topic)));
            working.await();
            for (String[] command :
                    List.of(
                            new String[] {"group", "reset", group, "--to", "beginning", "--yes"},
                            new String[] {"group", "reset", group, "--to", "beginning"},
                            new String[] {"group", "delete", group, "--yes"})) {
                var result = cli.run(command);
                assertThat(result.exitCode()).isEqualTo(1);
                assertThat(result.err()).contains("live with 1 member", "top them first");
            }
            JsonNode described = json("group", "describe", group);
            assertThat(described.get("members").size()).isEqualTo(1);
            assertThat(described.get("members").get(0).get("clientId").asString())
                    .isEqualTo("worker");
        }
        assertThat(committed()).isGreaterThanOrEqualTo(10);
    }

    @Test
    void groupIsDeletedWithYes() {
        assertThat(ok("group", "delete", group)).contains("would be deleted");
        ok("group", "delete", group, "--yes");
        assertThat(cli.run("group", "describe", group).exitCode()).isEqualTo(3);
        assertThat(cli.run("group", "delete", group).exitCode()).isEqualTo(3);
    }

    @Test
    void atMostOnceIsCommittedBeforeItIsShown() {
        ok("tail", topic, "--group", group, "-n", "5", "--delivery", "at-most-once");
        assertThat(committed()).as("what was not shown is given back").isEqualTo(15);
    }

    private ConsumeLoop<String, String> member(BrokerAddress broker, CountDownLatch working) {
        var preset = new Preset(Delivery.AT_LEAST_ONCE, Profile.LATENCY);
        return new ConsumeLoop<>(
                preset.openConsumer(
                        Map.of(
                                "bootstrap.servers",
                                broker.servers(),
                                "group.id",
                                group,
                                "client.id",
                                "worker"),
                        new StringDeserializer(),
                        new StringDeserializer()),
                preset.delivery(),
                OnFailure.stop(),
                _ -> working.countDown());
    }

    private long committed() {
        return json("group", "describe", group)
                .get("partitions")
                .get(0)
                .get("committedOffset")
                .asLong();
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
