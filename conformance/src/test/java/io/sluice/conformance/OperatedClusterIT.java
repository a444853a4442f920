package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.broker.BrokerExtension;
import io.sluice.conformance.broker.NeedsProcess;
import io.sluice.conformance.broker.SluiceCluster;
import io.sluice.conformance.launcher.Shell;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// What docs/operations.md tells to type, typed beside four real brokers: topics get more copies, moves are watched and taken back, a broker is emptied, taken in again and removed, another one is away for a while. All by the command `sluice`, under a producer.
///
/// Shows Q26 and Q27 with processes.
@Tag("kill")
@NeedsProcess
@ExtendWith(BrokerExtension.class)
class OperatedClusterIT {
    private static final int BROKERS = 4;

    /// The one that has no member of the ensemble inside, and can be removed.
    private static final int FOURTH = 4;

    private static final int KILLED = 3;
    private static final int PER_SECOND = 100;

    private static final int BULK_PARTITIONS = 6;
    private static final int BULK_MESSAGES = 900;
    private static final String BULK = "x".repeat(64 << 10);

    /// Brokers copy a mebibyte at a time: at this rate each gets one in 8 s.
    private static final int BYTES_PER_SECOND = 128 << 10;

    private static final Pattern TAKEN_BACK =
            Pattern.compile("(\\d+) move\\(s\\) were taken back\\.");

    private final SluiceCluster cluster;
    private final Console sluice;

    OperatedClusterIT(@TempDir Path folder, @TempDir Path installed) {
        cluster = new SluiceCluster(folder, BROKERS).start();
        sluice = Console.at(installed, cluster.bootstrap(), cluster::output);
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    @Test
    @DisplayName(
            "Q26, Q27: more copies, a drain that is throttled, watched, taken back and done, a broker removed, another one away: each command does what it says, and nothing acknowledged is lost")
    void theCommandIsEnough() {
        sluice.awaitHealthy(BROKERS);
        for (int id = 1; id <= BROKERS; id++) {
            assertThat(sluice.broker(id).path("state").asString()).isEqualTo("active");
        }
        ReplicatedTopic topic = createTopic();
        try (AcknowledgedLoad load = topic.load(AcknowledgedLoad.PATIENT, PER_SECOND)) {
            load.awaitProgress(PER_SECOND, cluster::output);
            aTopicGetsMoreCopies();
            aDrainIsWatchedAndTakenBack();
            load.awaitProgress(PER_SECOND, cluster::output);
            theBrokerIsEmptied();
            theBrokerIsTakenInAgain();
            theBrokerIsRemoved();
            load.awaitProgress(PER_SECOND, cluster::output);
            anotherOneIsAwayForAWhile(load);
            load.finish();
            topic.requireStoredOnce(load);
        }
        theBulkIsThere();
    }

    private ReplicatedTopic createTopic() {
        sluice.done(
                "topic",
                "create",
                "ledger",
                "--partitions=3",
                "--replicas=3",
                "--config=min.insync.replicas=2");
        return new ReplicatedTopic(cluster, "ledger", 3);
    }

    private void aTopicGetsMoreCopies() {
        sluice.done(
                "topic",
                "create",
                "bulk",
                "--partitions=" + BULK_PARTITIONS,
                "--replicas=1",
                "--config=flush=page-cache");
        try (Producer<String, String> producer =
                new Clients(cluster.broker(1).broker()).producer()) {
            Clients.sendAll(
                    producer,
                    BULK_MESSAGES,
                    i -> new ProducerRecord<>("bulk", i % BULK_PARTITIONS, "" + i, BULK));
        }
        assertThat(bulk()).allMatch(partition -> partition.path("replicas").size() == 1);
        assertThat(sluice.done("topic", "alter", "bulk", "--replication-factor", "3").out())
                .contains("replication factor");
        sluice.awaitJson(
                described ->
                        partitions(described).stream()
                                .allMatch(
                                        partition ->
                                                partition.path("inSync").size() == 3
                                                        && partition.path("lag").asLong(-1) == 0),
                "topic",
                "describe",
                "bulk");
        sluice.awaitHealthy(BROKERS);
        assertThat(bulk()).allMatch(partition -> partition.path("replicas").size() == 3);
        assertThat(replicasOfTheFourth()).isPositive();
        say("a topic got more copies");
    }

    private List<JsonNode> bulk() {
        return partitions(sluice.json("topic", "describe", "bulk"));
    }

    private static List<JsonNode> partitions(JsonNode described) {
        List<JsonNode> partitions =
                StreamSupport.stream(described.path("partitions").spliterator(), false).toList();
        assertThat(partitions).hasSize(BULK_PARTITIONS);
        return partitions;
    }

    private int replicasOfTheFourth() {
        return sluice.broker(FOURTH).path("replicas").asInt();
    }

    private void aDrainIsWatchedAndTakenBack() {
        assertThat(sluice.done("broker", "drain", "4", "--throttle", "1").out())
                .contains("draining");
        sluice.awaitJson(now -> now.path("bytesLeft").asLong() > 0, "rebalance", "--status");
        JsonNode status = watchedOnItsWay();
        assertThat(status.path("bytesLeft").asLong()).isPositive();
        assertThat(status.path("bytesPerSecond").asLong()).isPositive();
        assertThat(status.path("throttle").asInt()).isEqualTo(BYTES_PER_SECOND);
        assertThat(status.path("moving").asInt())
                .isPositive()
                .isEqualTo(status.path("moves").size());
        for (JsonNode move : status.path("moves")) {
            assertThat(move.path("removing").toString()).isEqualTo("[4]");
            assertThat(move.path("adding")).hasSize(1);
        }

        sluice.awaitJson(
                described ->
                        partitions(described).stream()
                                .anyMatch(partition -> partition.path("lag").asLong() > 0),
                "topic",
                "describe",
                "bulk");

        // Nothing more is done until it is taken back, however long the commands take.
        Shell.Result table = sluice.done("rebalance", "--status", "--throttle", "1");
        assertThat(table.out())
                .containsPattern("Moving: +[1-9]")
                .containsPattern("Left to copy: +[1-9]")
                .containsPattern("Limit a second: +1 B")
                .contains("PARTITION", "ADDING", "REMOVING", "LEFT");
        JsonNode health = sluice.awaitHealth(0, now -> now.path("moving").asInt() > 0);
        assertThat(health.path("verdict").asString()).isEqualTo("healthy");
        assertThat(health.path("reason").asString()).contains("on the move");
        assertThat(health.path("underReplicated").asInt()).isZero();
        assertThat(sluice.broker(FOURTH).path("state").asString()).isEqualTo("draining");
        say(
                "a drain had %s bytes and %s s left"
                        .formatted(status.path("bytesLeft"), status.path("timeLeft")));

        assertThat(takenBack()).isPositive();
        sluice.awaitJson(now -> now.path("moving").asInt() > 0, "rebalance", "--status");
        assertThat(sluice.done("broker", "resume", "4").out()).contains("active");
        int held = replicasOfTheFourth();
        takenBack();
        sluice.awaitJson(now -> now.path("moving").asInt() == 0, "rebalance", "--status");
        sluice.awaitHealthy(BROKERS);
        assertThat(sluice.broker(FOURTH).path("state").asString()).isEqualTo("active");
        assertThat(replicasOfTheFourth()).isEqualTo(held).isPositive();
        say("the drain was taken back");
    }

    /// How fast it goes is seen when something comes during the look. Between two looks next to nothing is copied, however long they take.
    private JsonNode watchedOnItsWay() {
        AtomicReference<JsonNode> last = new AtomicReference<>();
        Eventually.holds(
                () -> last + "\n" + cluster.output(),
                () -> {
                    sluice.done("rebalance", "--status", "--throttle", "1");
                    last.set(sluice.json("rebalance", "--status", "--throttle", "128KiB"));
                    return last.get().path("timeLeft").isNumber();
                });
        return last.get();
    }

    private int takenBack() {
        Matcher said = TAKEN_BACK.matcher(sluice.done("rebalance", "--cancel").err());
        assertThat(said.find()).isTrue();
        return Integer.parseInt(said.group(1));
    }

    private void theBrokerIsEmptied() {
        assertThat(sluice.json("rebalance", "--status", "--throttle", "0").path("throttle").asInt())
                .isZero();
        drainTheFourth();
        assertThat(sluice.broker(FOURTH).path("state").asString()).isEqualTo("draining");
        say("broker 4 was drained");
    }

    private void drainTheFourth() {
        sluice.done("broker", "drain", "4");
        sluice.awaitBroker(
                FOURTH,
                row -> row.path("replicas").asInt(-1) == 0 && row.path("leaders").asInt(-1) == 0);
        sluice.awaitJson(now -> now.path("moving").asInt() == 0, "rebalance", "--status");
        sluice.awaitHealthy(BROKERS);
    }

    private void theBrokerIsTakenInAgain() {
        sluice.done("broker", "resume", "4");
        assertThat(replicasOfTheFourth()).as("only new topics are placed there").isZero();
        sluice.done("rebalance");
        sluice.awaitBroker(
                FOURTH,
                row ->
                        row.path("state").asString().equals("active")
                                && row.path("replicas").asInt() > 0);
        sluice.awaitHealthy(BROKERS);
        say("broker 4 was taken in again");
    }

    private void theBrokerIsRemoved() {
        drainTheFourth();
        sluice.refused(1, "Broker 4 is running", "broker", "remove", "4");
        cluster.broker(FOURTH).stop();
        JsonNode health =
                sluice.awaitHealth(6, now -> now.path("awayBrokers").toString().equals("[4]"));
        assertThat(health.path("verdict").asString()).isEqualTo("degraded");
        assertThat(health.path("reason").asString()).isEqualTo("broker(s) [4] are away");
        assertThat(sluice.done("broker", "remove", "4").out()).contains("removed");
        sluice.awaitHealthy(BROKERS - 1);
        assertThat(sluice.broker(FOURTH).isMissingNode()).isTrue();
        sluice.refused(1, "There is no broker 4", "broker", "remove", "4");
        say("broker 4 was removed");
    }

    private void anotherOneIsAwayForAWhile(AcknowledgedLoad load) {
        cluster.broker(KILLED).kill();
        JsonNode health =
                sluice.awaitHealth(
                        6,
                        now ->
                                now.path("awayBrokers").toString().equals("[3]")
                                        && now.path("underReplicated").asInt()
                                                == BULK_PARTITIONS + 3);
        assertThat(health.path("verdict").asString()).isEqualTo("degraded");
        assertThat(health.path("reason").asString())
                .contains("with a replica that is not in sync", "broker(s) [3] are away");
        assertThat(sluice.run("cluster", "health", "--partitions").out())
                .contains("degraded", "bulk-0", "ledger-0", "a replica is not in sync");
        // Fenced before, for as long as its session lives.
        sluice.awaitBroker(KILLED, row -> row.path("state").asString().equals("away"));
        sluice.refused(1, "Broker 3 is stopped and has", "broker", "remove", "3");
        load.awaitProgress(PER_SECOND, cluster::output);
        cluster.broker(KILLED).start();
        sluice.awaitHealthy(BROKERS - 1);
        assertThat(sluice.broker(KILLED).path("state").asString()).isEqualTo("active");
        say("broker 3 was away and came back");
    }

    private void theBulkIsThere() {
        assertThat(
                        new Clients(cluster.broker(1).broker())
                                .readAll("bulk", BULK_PARTITIONS, BULK_MESSAGES).stream()
                                        .map(
                                                record ->
                                                        Map.entry(
                                                                record.key(),
                                                                record.value().length())))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, BULK_MESSAGES)
                                .mapToObj(i -> Map.entry("" + i, BULK.length()))
                                .toList());
    }

    private static void say(String what) {
        System.out.println("operated: " + what);
    }
}
