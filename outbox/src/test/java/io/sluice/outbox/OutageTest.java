package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fixtures.Postgres;
import io.sluice.testing.SteadyPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Broker and database go away for a while and come back; the relay runs all the time.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(240)
@Order(1)
class OutageTest {
    /// An attempt lasts for half a second instead of ten, so that several fail within seconds; the pauses between them are the relay's own.
    @Test
    void theBrokerGoesAwayAndComesBack(Database database, @TempDir Path folder) throws Exception {
        try (PassingBroker passing = PassingBroker.on(folder)) {
            Broker broker = passing.broker();
            String topic = broker.topic();
            try (Relay relay = Relay.start(database, RelaySettings.of(topic, impatient(broker)))) {
                database.append(OutboxEvent.of("a", "t", "1"));
                readFirst(broker, topic, 1);
                passing.goAway();
                for (int i = 2; i <= 6; i++) {
                    database.append(OutboxEvent.of("a", "t", "" + i));
                    Thread.sleep(500);
                }
                while (relay.health().up()) {
                    Thread.sleep(50);
                }
                assertThat(relay.health().reasons()).anyMatch(reason -> reason.contains("broker"));
                passing.comeBack();
                try (TopicReader reader = new TopicReader(broker, topic)) {
                    database.append(OutboxEvent.of("a", "t", "7"));
                    reader.await(7).linger(Duration.ofMillis(300));
                    assertThat(reader.byKey().get("a"))
                            .containsExactly("1", "2", "3", "4", "5", "6", "7");
                    assertThat(relay.health().up()).isTrue();
                }
            }
        }
    }

    /// With nothing set: attempts of ten seconds, pauses of up to five, and writers that go on. Nobody else is there to have the lanes.
    @Test
    @DisplayName("O6: the broker is away for a minute; all is published once, in order")
    void theBrokerIsAwayForAMinute(Database database, @TempDir Path folder) throws Exception {
        try (PassingBroker passing = PassingBroker.on(folder)) {
            Broker broker = passing.broker();
            String topic = broker.topic();
            try (Relay relay = Relay.start(database, RelaySettings.of(topic, broker.client()))) {
                database.append(OutboxEvent.of("a", "t", "0"), OutboxEvent.of("b", "t", "0"));
                readFirst(broker, topic, 2);
                passing.goAway();
                List<String> expected = new ArrayList<>(List.of("0"));
                for (int second = 1; second <= 60; second++) {
                    database.append(
                            OutboxEvent.of("a", "t", "" + second),
                            OutboxEvent.of("b", "t", "" + second));
                    expected.add("" + second);
                    Thread.sleep(1_000);
                }
                assertThat(relay.health().reasons()).anyMatch(reason -> reason.contains("broker"));
                assertThat(relay.status().lanes()).as("nobody else wants them").hasSize(64);
                assertThat(relay.status().published()).as("nothing came through").isEqualTo(2);
                passing.comeBack();
                try (TopicReader reader = new TopicReader(broker, topic)) {
                    reader.await(2 * expected.size()).linger(Duration.ofMillis(500));
                    assertThat(reader.byKey())
                            .containsEntry("a", expected)
                            .containsEntry("b", expected);
                    assertThat(reader.repeated()).isZero();
                    assertThat(database.number("SELECT count(*) FROM outbox_parked")).isZero();
                    assertThat(relay.health().up()).isTrue();
                }
            }
        }
    }

    private static void readFirst(Broker broker, String topic, int count) {
        try (TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(count);
        }
    }

    private static Map<String, Object> impatient(Broker broker) {
        return Map.of(
                "bootstrap.servers",
                broker.bootstrap(),
                "request.timeout.ms",
                300,
                "delivery.timeout.ms",
                500,
                "max.block.ms",
                500);
    }

    /// What was not saved before the stop may come again, with the same numbers: the reader's filter drops it.
    @Test
    void theDatabaseIsStartedAgain(Broker broker, @TempDir Path folder) throws Exception {
        String topic = broker.topic();
        int port = SteadyPorts.next();
        Database database;
        Relay relay;
        try (TopicReader reader = new TopicReader(broker, topic)) {
            try (Postgres.Server postgres = Postgres.Server.on(folder, port)) {
                database = new Database(postgres.url()).install();
                relay = Relay.start(database, RelaySettings.of(topic, broker.client()));
                database.append(OutboxEvent.of("a", "t", "1"), OutboxEvent.of("b", "t", "1"));
                reader.await(2);
            }
            try {
                reader.linger(Duration.ofSeconds(1));
                try (Postgres.Server _ = Postgres.Server.on(folder, port)) {
                    database.append(OutboxEvent.of("a", "t", "2"), OutboxEvent.of("b", "t", "2"));
                    reader.await(4).linger(Duration.ofMillis(300));
                    assertThat(reader.byKey())
                            .containsEntry("a", List.of("1", "2"))
                            .containsEntry("b", List.of("1", "2"));
                    relay.close();
                }
            } finally {
                relay.close();
            }
        }
    }

    /// The host's clock may jump as it likes: who owns what is decided on the database's clock and on one that only goes forward. Only the age
    /// of events in wal mode, a figure for people, is told by the host's.
    @Test
    void nothingIsDecidedOnTheHostsClock() throws IOException {
        Path sources =
                Path.of(System.getProperty("basedir", ".")).resolve("src/main/java/io/sluice");
        List<String> asking;
        try (Stream<Path> files = Files.walk(sources)) {
            asking =
                    files.filter(file -> file.toString().endsWith(".java"))
                            .filter(OutageTest::asksTheTime)
                            .map(file -> String.valueOf(file.getFileName()))
                            .toList();
        }
        assertThat(asking).containsExactly("PgOutput.java");
    }

    private static boolean asksTheTime(Path file) {
        try {
            String source = Files.readString(file);
            return source.contains("Instant.now(")
                    || source.contains("currentTimeMillis(")
                    || source.contains("Clock.system")
                    || source.contains("DateTime.now(");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
