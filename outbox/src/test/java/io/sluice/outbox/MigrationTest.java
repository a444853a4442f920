package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.outbox.compat.CompatRelay;
import io.sluice.outbox.compat.CompatSettings;
import io.sluice.outbox.membership.LaneOwnership;
import io.sluice.outbox.operating.Migration;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// From the document's relay to log mode and back, while everything runs.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@ResourceLock(value = Slots.LOCK, mode = ResourceAccessMode.READ)
@Timeout(120)
class MigrationTest {
    @Test
    @DisplayName(
            "O5: compat → log → compat → log, nothing lost, each event published by one of the two")
    void thereAndBack(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        migration.toCompat(Duration.ofSeconds(10));
        CompatSettings compat =
                CompatSettings.of(Map.of(), Map.of("app.outbox.relay.fixedDelayMs", "20"));
        try (CompatRelay old =
                        CompatRelay.start(
                                database,
                                OutboxTable.TRANSFER_EVENTS,
                                topic,
                                broker.client(),
                                compat);
                Relay relay = Relay.start(database, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            database.append(OutboxEvent.of("a", "t", "1"));
            reader.await(1);
            assertThat(relay.health().up()).isTrue();

            migration.toLog();
            database.append(OutboxEvent.of("a", "t", "2"));
            reader.await(2);

            migration.toCompat(Duration.ofSeconds(30));
            database.append(OutboxEvent.of("a", "t", "3"));
            reader.await(3);

            migration.toLog();
            database.append(OutboxEvent.of("a", "t", "4"));
            reader.await(4).linger(Duration.ofMillis(300));
            assertThat(reader.byKey().get("a")).containsExactly("1", "2", "3", "4");
            assertThat(old.published()).isEqualTo(2);
            assertThat(relay.status().published()).isEqualTo(2);
        }
    }

    /// Each switch finds a transaction open that has written before it and writes again while it is on its way, or behind it; and that to log mode finds events that compat mode
    /// has not published, behind which the lanes have to wait.
    @Test
    @DisplayName(
            "O5: compat → log → wal → log → compat under writers: nothing lost, nothing twice, in order where the mode keeps it")
    void allTheWayAndBackUnderWriters(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        migration.toCompat(Duration.ofSeconds(10));
        try (Writers writers = Writers.start(database, 4, 10);
                CompatRelay old = compat(database, broker, topic, everySoOften());
                Relay relay = Relay.start(database, Slots.settings(database, broker, topic));
                Relay other = Relay.start(database, Slots.settings(database, broker, topic));
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(50);
            OpenTransaction toLog = OpenTransaction.begin(database, "to-log");
            toLog.whileItWaits(migration::toLog);
            reader.awaitUntil(
                    () -> relay.status().published() + other.status().published() > 100,
                    "log mode to publish");

            OpenTransaction toWal = OpenTransaction.begin(database, "to-wal");
            migration.toWal();
            reader.awaitUntil(() -> database.number(Slots.ask("count(*)")) == 1, "a slot");
            reader.linger(Duration.ofMillis(500));
            assertThat(Slots.streaming(database)).as("a transaction is open").isZero();
            toWal.writeAndCommit();
            reader.awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read");
            reader.linger(Duration.ofMillis(500));

            OpenTransaction fromWal = OpenTransaction.begin(database, "from-wal");
            migration.toLog();
            reader.awaitUntil(() -> Slots.streaming(database) == 0, "the table to be read");
            reader.linger(Duration.ofMillis(500));
            fromWal.writeAndCommit();
            reader.linger(Duration.ofMillis(500));

            long byClaims = old.published();
            OpenTransaction toCompat = OpenTransaction.begin(database, "to-compat");
            toCompat.whileItWaits(() -> migration.toCompat(Duration.ofSeconds(30)));
            reader.awaitUntil(() -> old.published() > byClaims + 100, "compat mode to publish");

            int expected = writers.finish() + 4 * OpenTransaction.EVENTS;
            reader.await(expected).linger(Duration.ofMillis(500));
            assertAllAndInOrderByLanes(database, reader, expected);
            assertThat(reader.repeated()).as("nobody died").isZero();
        } finally {
            Slots.drop(database);
        }
    }

    /// Events of compat mode have no number, and no place among the others of their turn; what lanes publish stands behind all that was written before, and in front of the rest.
    private static void assertAllAndInOrderByLanes(
            Database database, TopicReader reader, int expected) {
        List<String> written =
                database.column("SELECT aggregate_id || '/' || payload FROM transfer_events");
        assertThat(written).hasSize(expected);
        assertThat(reader.records())
                .extracting(record -> record.key() + "/" + record.value())
                .containsExactlyInAnyOrderElementsOf(written);
        Map<String, Integer> highest = new HashMap<>();
        Map<String, Integer> ordered = new HashMap<>();
        for (ConsumerRecord<String, String> record : reader.records()) {
            String key = record.key();
            int version = Integer.parseInt(record.value());
            assertThat(version).as(key).isGreaterThan(ordered.getOrDefault(key, 0));
            if (!TopicReader.header(record, "outbox-sequence").isEmpty()) {
                assertThat(version).as(key).isGreaterThan(highest.getOrDefault(key, 0));
                ordered.put(key, version);
            }
            highest.merge(key, version, Math::max);
        }
        assertThat(ordered).as("aggregates that lanes have published").hasSizeGreaterThan(20);
    }

    /// Only a relay can say in the table how far the log was published; without one, everything would be published again.
    @Test
    void thereIsNoWayFromTheLogToCompatWithoutARelay(Database database) {
        database.append(OutboxEvent.of("a", "t", "1"));
        database.run(
                "UPDATE outbox_source SET mode = 'wal', wal_lsn = pg_current_wal_lsn(), wal_seen = pg_current_snapshot()");
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        assertThatThrownBy(() -> migration.toCompat(Duration.ofMillis(100)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("start one");
        assertThat(database.column("SELECT DISTINCT status FROM transfer_events"))
                .containsExactly("LOG");
        assertThat(mode(database)).isEqualTo("wal");
    }

    /// What log mode could not publish becomes the document's relay's, with the rest.
    @Test
    void whatIsNotPublishedBecomesPending(Database database) throws Exception {
        database.append(OutboxEvent.of("a", "t", "1"), OutboxEvent.of("b", "t", "2"));
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toCompat(Duration.ofSeconds(10));
        assertThat(database.column("SELECT DISTINCT status FROM transfer_events"))
                .containsExactly("PENDING");
    }

    /// A dump, a report, a writer that forgot to commit.
    @Test
    @DisplayName("O5: a way to compat that cannot be finished is taken back, and nothing is lost")
    void aTableThatIsNotFreeStaysInLogMode(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        database.append(OutboxEvent.of("a", "t", "1"));
        try (Connection report = database.open();
                Statement statement = report.createStatement()) {
            report.setAutoCommit(false);
            statement.execute("SELECT count(*) FROM transfer_events");
            assertThatThrownBy(() -> migration.toCompat(Duration.ofSeconds(10)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("not free within 5 s");
        }
        assertThat(mode(database)).isEqualTo("log");
        migration.toLog();
        try (Relay _ = Relay.start(database, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(1);
        }
    }

    @Test
    void whoeverIsInterruptedTakesTheModeBack(Database database) throws Exception {
        database.run(
                """
                INSERT INTO outbox_member (outbox, name, joined_at, until) VALUES ('transfer_events', 'busy', now(), now() + interval '1 h');
                UPDATE outbox_lane SET owner = (SELECT number FROM outbox_member)
                """);
        AtomicReference<Exception> ended = new AtomicReference<>();
        Thread changing =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        new Migration(database, OutboxTable.TRANSFER_EVENTS)
                                                .toCompat(Duration.ofMinutes(5));
                                    } catch (SQLException | InterruptedException e) {
                                        ended.set(e);
                                    }
                                });
        await(() -> mode(database).equals("compat"));
        Migration other = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        assertThatThrownBy(other::toLog).hasMessageContaining("somebody else is changing the mode");
        assertThat(other.state().unfinished()).isTrue();
        changing.interrupt();
        changing.join();
        assertThat(ended.get()).isInstanceOf(InterruptedException.class);
        assertThat(mode(database)).isEqualTo("log");
    }

    /// It has said what is wanted, and nothing else: the events are still log mode's.
    @Test
    @DisplayName("O5: whoever dies on the way to compat leaves nothing that is nobody's")
    void aKilledChangeIsFinishedOrTakenBack(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        database.append(OutboxEvent.of("a", "t", "1"));
        database.run("UPDATE outbox_source SET mode = 'compat'");
        assertThat(migration.state().unfinished()).isTrue();

        migration.toLog();
        assertThat(migration.state().unfinished()).isFalse();
        try (Relay _ = Relay.start(database, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(1);
        }
        database.append(OutboxEvent.of("a", "t", "2"));
        database.run("UPDATE outbox_source SET mode = 'compat'");
        migration.toCompat(Duration.ofSeconds(10));
        assertThat(migration.state().unfinished()).isFalse();
        assertThat(database.column("SELECT payload FROM transfer_events WHERE status = 'PENDING'"))
                .containsExactly("2");
    }

    @Test
    @DisplayName(
            "O5: log mode waits for what compat mode has left, also a relay that runs all the time")
    void logModeWaitsForTheBacklogOfCompat(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        try (Relay relay = Relay.start(database, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            await(() -> relay.status().lanes().size() == 64);
            migration.toCompat(Duration.ofSeconds(30));
            database.run(
                    "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'a', i FROM generate_series(1, 1000) i");
            migration.toLog();
            database.append(OutboxEvent.of("a", "t", "1001"));
            await(
                    () ->
                            String.valueOf(relay.status().trouble())
                                    .contains("unpublished events from before log mode"));
            assertThat(relay.status().lanes()).isEmpty();
            assertThat(relay.status().published()).isZero();

            CompatSettings slow =
                    CompatSettings.of(
                            Map.of(),
                            Map.of(
                                    "app.outbox.relay.fixedDelayMs", "20",
                                    "app.outbox.relay.batchSize", "100"));
            try (CompatRelay old = compat(database, broker, topic, slow)) {
                reader.await(1001);
                assertThat(old.published()).isEqualTo(1000);
            }
            assertThat(reader.byKey().get("a"))
                    .isEqualTo(IntStream.rangeClosed(1, 1001).mapToObj(i -> "" + i).toList());
        }
    }

    /// As every entity does that has a field for it. Otherwise whoever still claims would publish what log mode publishes, and after log → compat all
    /// that was ever published.
    @Test
    @DisplayName("O5: a writer that names the status itself changes nothing about who publishes")
    void writersThatNameTheStatusThemselves(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        try (CompatRelay forgotten =
                        compat(
                                database,
                                broker,
                                topic,
                                CompatSettings.of(
                                        Map.of(), Map.of("app.outbox.relay.fixedDelayMs", "20")));
                Relay relay = Relay.start(database, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            insertPending(database, "1");
            database.run("UPDATE transfer_events SET payload = '1', status = 'PENDING'");
            reader.await(1).linger(Duration.ofMillis(200));
            assertThat(relay.status().published()).isEqualTo(1);

            migration.toCompat(Duration.ofSeconds(30));
            insertPending(database, "2");
            reader.await(2).linger(Duration.ofMillis(200));
            assertThat(forgotten.published()).isEqualTo(1);

            migration.toLog();
            insertPending(database, "3");
            reader.await(3).linger(Duration.ofMillis(200));
            assertThat(relay.status().published()).isEqualTo(2);
            assertThat(forgotten.published()).isEqualTo(1);
            assertThat(reader.byKey().get("a")).containsExactly("1", "2", "3");
        }
    }

    /// Its row was deleted, or dropped with its partition.
    @Test
    void aParkedEventWithoutARowIsNotForgotten(Database database) throws Exception {
        database.run(
                "INSERT INTO outbox_parked (outbox, lane, aggregate_id, ord, event_id, payload, state) VALUES ('transfer_events', outbox_lane_of('a'), 'a', 1, '1', 'x', 'FAILED')");
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        assertThatThrownBy(() -> migration.toCompat(Duration.ofSeconds(10)))
                .hasMessageContaining("1 of 1 parked events are no longer in table");
        assertThat(mode(database)).isEqualTo("log");
        assertThat(database.number("SELECT count(*) FROM outbox_parked")).isEqualTo(1);
    }

    @Test
    void aParkedEventBecomesPendingWithTheRest(Database database) throws Exception {
        database.append(OutboxEvent.of("a", "t", "1"), OutboxEvent.of("b", "t", "2"));
        database.run(
                """
                UPDATE outbox_lane SET seen = pg_current_snapshot();
                INSERT INTO outbox_parked (outbox, lane, aggregate_id, ord, event_id, payload, state)
                  SELECT 'transfer_events', outbox_lane_of('a'), 'a', ord, event_id, 'x', 'FAILED' FROM transfer_events WHERE aggregate_id = 'a'
                """);
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toCompat(Duration.ofSeconds(10));
        assertThat(
                        database.column(
                                "SELECT aggregate_id FROM transfer_events WHERE status = 'PENDING'"))
                .containsExactly("a");
        assertThat(database.number("SELECT count(*) FROM outbox_parked")).isZero();
    }

    /// A relay whose view of the mode is old must not take a lane while its events become somebody else's.
    @Test
    void noLaneIsTakenOnceCompatIsWanted(Database database) throws Exception {
        LaneOwnership ownership = new LaneOwnership("transfer_events");
        try (Connection connection = database.open();
                Connection migrating = database.open();
                Statement statement = migrating.createStatement()) {
            assertThat(ownership.claim(connection, 1, List.of(), 2)).hasSize(2);
            migrating.setAutoCommit(false);
            statement.execute("UPDATE outbox_source SET mode = 'compat'");
            Thread late =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            ownership.claim(connection, 2, List.of(), 2);
                                        } catch (SQLException e) {
                                            throw new IllegalStateException(e);
                                        }
                                    });
            await(
                    () ->
                            database.number(
                                            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%outbox_source%'")
                                    > 0);
            migrating.commit();
            late.join();
            assertThat(database.column("SELECT DISTINCT owner FROM outbox_lane WHERE owner > 1"))
                    .isEmpty();
            // Somebody has to say in the table how far the log was read.
            database.run("UPDATE outbox_source SET wal_lsn = '0/1'");
            assertThat(ownership.claim(connection, 3, List.of(), 1)).hasSize(1);
        }
    }

    /// So that there are always some events that it has not claimed yet.
    private static CompatSettings everySoOften() {
        return CompatSettings.of(Map.of(), Map.of("app.outbox.relay.fixedDelayMs", "500"));
    }

    private static CompatRelay compat(
            Database database, Broker broker, String topic, CompatSettings settings) {
        return CompatRelay.start(
                database, OutboxTable.TRANSFER_EVENTS, topic, broker.client(), settings);
    }

    private static void insertPending(Database database, String payload) {
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload, status) VALUES ('a', '%s', 'PENDING')"
                        .formatted(payload));
    }

    private static String mode(Database database) {
        return database.column("SELECT mode FROM outbox_source").getFirst();
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(20);
        }
    }
}
