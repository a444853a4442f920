package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.Broker;
import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.child.ChildProgram;
import io.sluice.conformance.child.ClientLibraries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Kafka's own command-line tools, each as a process, with what an operator types into them.
@Tag("kafka-tools")
@ExtendWith(BrokerExtension.class)
class KafkaToolsIT {
    private static final String TOOLS = "org.apache.kafka.tools.";
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private final ClientLibraries libraries = new ClientLibraries("kafka-tools");
    private final Clients clients;

    KafkaToolsIT(Broker broker) {
        clients = new Clients(broker);
    }

    @Test
    @DisplayName("kafka-topics creates, lists, describes, alters and deletes")
    void kafkaTopics() {
        String topic = Clients.unique("tool");
        String command = TOOLS + "TopicCommand";

        assertThat(
                        run(
                                        command,
                                        "--create",
                                        "--topic",
                                        topic,
                                        "--partitions",
                                        "2",
                                        "--config",
                                        "retention.ms=1000")
                                .output())
                .contains("Created topic " + topic);
        assertThat(run(command, "--list").lines()).contains(topic);
        assertThat(run(command, "--describe", "--topic", topic).output())
                .contains("PartitionCount: 2")
                .contains("retention.ms=1000")
                .contains("Partition: 1");
        run(command, "--alter", "--topic", topic, "--partitions", "3");
        Eventually.holds(
                () -> "no third partition",
                () ->
                        run(command, "--describe", "--topic", topic)
                                .output()
                                .contains("Partition: 2"));
        run(command, "--delete", "--topic", topic);
        Eventually.holds(
                () -> topic + " is still listed",
                () -> !run(command, "--list").lines().contains(topic));
    }

    @Test
    @DisplayName("kafka-console-producer and kafka-console-consumer")
    void consoleProducerAndConsumer() {
        String topic = clients.createTopic("console", 1);
        String text =
                IntStream.range(0, 100)
                        .mapToObj(i -> "k" + i + ":v" + i + "\n")
                        .collect(Collectors.joining());

        program(
                        TOOLS + "ConsoleProducer",
                        "--topic",
                        topic,
                        "--reader-property",
                        "parse.key=true",
                        "--reader-property",
                        "key.separator=:")
                .withInput(text)
                .run(LIMIT)
                .requireSuccess();
        ChildProgram.Result read =
                run(
                        TOOLS + "consumer.ConsoleConsumer",
                        "--topic",
                        topic,
                        "--from-beginning",
                        "--max-messages",
                        "100",
                        "--formatter-property",
                        "print.key=true",
                        "--formatter-property",
                        "key.separator=:",
                        "--group",
                        Clients.unique("console-group"));

        assertThat(read.output()).contains(text).contains("Processed a total of 100 messages");
    }

    @Test
    @DisplayName("kafka-consumer-groups lists, describes, resets and deletes; kafka-get-offsets")
    void consumerGroups() {
        String topic = clients.createTopic("groups", 1);
        String group = Clients.unique("tool-group");
        String command = TOOLS + "consumer.group.ConsumerGroupCommand";
        fill(topic, 50);
        run(
                TOOLS + "consumer.ConsoleConsumer",
                "--topic",
                topic,
                "--from-beginning",
                "--max-messages",
                "50",
                "--group",
                group);

        assertThat(run(command, "--list").lines()).contains(group);
        assertThat(run(command, "--describe", "--group", group).output())
                .containsPattern(group + " +" + topic + " +0 +50 +50 +0 ");
        assertThat(run(command, "--describe", "--group", group, "--state").output())
                .contains("Empty");
        assertThat(
                        run(
                                        command,
                                        "--reset-offsets",
                                        "--group",
                                        group,
                                        "--topic",
                                        topic,
                                        "--to-offset",
                                        "20",
                                        "--execute")
                                .output())
                .containsPattern(group + " +" + topic + " +0 +20");
        assertThat(run(command, "--describe", "--group", group).output())
                .containsPattern(" 0 +20 +50 +30 ");
        assertThat(run(command, "--delete", "--group", group).output()).contains("successful");
        assertThat(run(TOOLS + "GetOffsetShell", "--topic", topic).lines())
                .contains(topic + ":0:50");
        assertThat(run(TOOLS + "GetOffsetShell", "--topic", topic, "--time", "earliest").lines())
                .contains(topic + ":0:0");
    }

    @Test
    @DisplayName("kafka-configs describes and alters")
    void configs() {
        String topic = clients.createTopic("configs", 1);
        String command = "kafka.admin.ConfigCommand";

        run(
                command,
                "--alter",
                "--entity-type",
                "topics",
                "--entity-name",
                topic,
                "--add-config",
                "retention.ms=4711");
        Eventually.holds(
                () -> "the setting is not shown",
                () ->
                        run(
                                        command,
                                        "--describe",
                                        "--entity-type",
                                        "topics",
                                        "--entity-name",
                                        topic)
                                .output()
                                .contains("retention.ms=4711"));
        run(
                command,
                "--alter",
                "--entity-type",
                "topics",
                "--entity-name",
                topic,
                "--delete-config",
                "retention.ms");
        assertThat(
                        run(
                                        command,
                                        "--describe",
                                        "--all",
                                        "--entity-type",
                                        "topics",
                                        "--entity-name",
                                        topic)
                                .output())
                .contains("cleanup.policy=delete");
    }

    @Test
    @DisplayName("kafka-producer-perf-test and kafka-consumer-perf-test")
    void performanceTests() {
        String topic = clients.createTopic("perf", 2);

        ChildProgram.Result produced =
                ChildProgram.java(
                                libraries.classPath(),
                                TOOLS + "ProducerPerformance",
                                "--topic",
                                topic,
                                "--num-records",
                                "20000",
                                "--record-size",
                                "200",
                                "--throughput",
                                "-1",
                                "--bootstrap-server",
                                clients.broker().bootstrap())
                        .run(LIMIT)
                        .requireSuccess();
        assertThat(produced.output()).contains("20000 records sent");
        ChildProgram.Result consumed =
                run(
                        TOOLS + "ConsumerPerformance",
                        "--topic",
                        topic,
                        "--num-records",
                        "20000",
                        "--timeout",
                        "60000");
        assertThat(consumed.lines()).anySatisfy(line -> assertThat(line).contains(", 20000, "));
    }

    @Test
    @DisplayName("kafka-verifiable-producer and kafka-verifiable-consumer")
    void verifiableProducerAndConsumer() {
        String topic = clients.createTopic("verifiable", 1);

        ChildProgram.Result produced =
                run(
                        TOOLS + "VerifiableProducer",
                        "--topic",
                        topic,
                        "--max-messages",
                        "1000",
                        "--acks",
                        "-1");
        assertThat(produced.output()).contains("\"sent\":1000").contains("\"acked\":1000");
        ChildProgram.Result consumed =
                run(
                        TOOLS + "VerifiableConsumer",
                        "--topic",
                        topic,
                        "--max-messages",
                        "1000",
                        "--group-id",
                        Clients.unique("verifiable-group"),
                        "--reset-policy",
                        "earliest");
        assertThat(consumed.output())
                .contains("\"name\":\"offsets_committed\"")
                .contains("\"offset\":1000");
    }

    @Test
    @DisplayName("kafka-delete-records, kafka-log-dirs, kafka-broker-api-versions")
    void smallerTools(@TempDir Path folder) throws IOException {
        String topic = clients.createTopic("small", 1);
        fill(topic, 10);
        Path request = folder.resolve("delete.json");
        Files.writeString(
                request,
                "{\"partitions\":[{\"topic\":\"%s\",\"partition\":0,\"offset\":4}],\"version\":1}"
                        .formatted(topic));

        assertThat(
                        run(
                                        TOOLS + "DeleteRecordsCommand",
                                        "--offset-json-file",
                                        request.toString())
                                .output())
                .contains("low_watermark: 4");
        assertThat(run(TOOLS + "LogDirsCommand", "--describe", "--topic-list", topic).output())
                .contains("\"partition\":\"" + topic + "-0\"");
        assertThat(run(TOOLS + "BrokerApiVersionsCommand").output())
                .contains("Produce(0): ")
                .contains("Fetch(1): ");
    }

    /// The tools remove limits that nobody has set when a move has ended, or is taken back.
    @Test
    @DisplayName("kafka-reassign-partitions executes, verifies and cancels; kafka-leader-election")
    void movesAndElections(@TempDir Path folder) throws IOException {
        String topic = clients.createTopic("moved", 1);
        Path plan = folder.resolve("plan.json");
        Files.writeString(
                plan,
                "{\"version\":1,\"partitions\":[{\"topic\":\"%s\",\"partition\":0,\"replicas\":[%s]}]}"
                        .formatted(topic, clients.leaderOf(topic)));
        String command = TOOLS + "reassign.ReassignPartitionsCommand";
        String[] about = {"--reassignment-json-file", plan.toString()};

        assertThat(run(command, with(about, "--execute")).output())
                .contains("Successfully started partition reassignment");
        assertThat(run(command, with(about, "--verify")).output())
                .contains("Reassignment of partition " + topic + "-0 is completed")
                .contains("Clearing broker-level throttles");
        run(command, with(about, "--cancel"));
        assertThat(run(command, "--list").output()).contains("No partition reassignments found");

        String elections = TOOLS + "LeaderElectionCommand";
        for (String type : List.of("PREFERRED", "UNCLEAN")) {
            run(elections, "--election-type", type, "--topic", topic, "--partition", "0");
        }
    }

    private static String[] with(String[] some, String more) {
        String[] all = Arrays.copyOf(some, some.length + 1);
        all[some.length] = more;
        return all;
    }

    private void fill(String topic, int count) {
        try (Producer<String, String> producer = clients.producer()) {
            Clients.sendAll(producer, count, i -> new ProducerRecord<>(topic, "v" + i));
        }
    }

    private ChildProgram.Result run(String tool, String... arguments) {
        return program(tool, arguments).run(LIMIT).requireSuccess();
    }

    private ChildProgram program(String tool, String... arguments) {
        List<String> all =
                new ArrayList<>(List.of("--bootstrap-server", clients.broker().bootstrap()));
        all.addAll(List.of(arguments));
        return ChildProgram.java(libraries.classPath(), tool, all.toArray(String[]::new));
    }
}
