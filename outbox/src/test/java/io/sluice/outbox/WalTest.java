package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Backoff;
import io.sluice.outbox.operating.Migration;
import io.sluice.outbox.wal.LaneHash;
import io.sluice.outbox.wal.Slot;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Events from the database's log: in, out, and when the slot is lost.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@ResourceLock(
        "replication slots") // They are the server's, and so is how much of the log is kept for
// them.
@Timeout(240)
@Order(1)
class WalTest {
    private static final String STREAMING =
            "SELECT count(*) FROM outbox_source WHERE wal_lsn IS NOT NULL";

    @Test
    void lanesAreThoseOfTheDatabase(Database database) {
        List<String> keys = new ArrayList<>(List.of(""));
        for (int i = 0; i < 300; i++) {
            keys.add("계좌-account".repeat(i % 5) + "x".repeat(i % 17) + i);
        }
        List<String> lanes =
                database.column(
                        "SELECT outbox_lane_of(key) FROM unnest(ARRAY['%s']) WITH ORDINALITY AS k (key, n) ORDER BY n"
                                .formatted(String.join("', '", keys)));
        for (int i = 0; i < keys.size(); i++) {
            assertThat(LaneHash.lane(keys.get(i)))
                    .as(keys.get(i))
                    .isEqualTo(Integer.parseInt(lanes.get(i)));
        }
    }

    /// From the table to the log, while writers of all kinds write; the slot is thrown away under it; to the log again, and back to the table.
    @Test
    void tableAndLogTakeTurnsWithoutLossExchangeOrRepetition(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic();
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        try (Writers writers = Writers.start(database, 3, 20);
                Relay _ = Relay.start(database, settings(database, broker, topic));
                Relay _ = Relay.start(database, settings(database, broker, topic));
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(50);
            migration.toWal();
            reader.awaitUntil(() -> database.number(STREAMING) == 1, "the log to be read");
            reader.linger(Duration.ofMillis(500));
            dropSlot(database);
            reader.awaitUntil(
                    () ->
                            database.number(
                                            "SELECT count(*) FROM outbox_source WHERE fallback IS NOT NULL")
                                    == 1,
                    "the table to take over");
            reader.awaitUntil(() -> database.number(STREAMING) == 1, "the log to be read again");
            reader.linger(Duration.ofMillis(500));
            migration.toLog();
            reader.awaitUntil(() -> database.number(STREAMING) == 0, "the table to be read");
            int expected = writers.finish();
            reader.await(expected).linger(Duration.ofMillis(300));
            KilledRelayTest.assertSameAsTable(database, reader);
            assertThat(database.number(slots("count(*)"))).as("slots left").isZero();
        }
    }

    @Test
    void aSuccessorGoesOnWhereTheStreamWas(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        try (TopicReader reader = new TopicReader(broker, topic)) {
            for (int round = 1; round <= 2; round++) {
                int events = 10 * round;
                try (Relay _ = Relay.start(database, settings(database, broker, topic))) {
                    reader.awaitUntil(() -> database.number(STREAMING) == 1, "the log to be read");
                    for (int i = 0; i < 10; i++) {
                        database.append(
                                OutboxEvent.of("a" + i % 3, "t", "" + i),
                                OutboxEvent.of("b", "t", "" + (events + i)));
                    }
                    reader.await(2 * events);
                }
                database.append(OutboxEvent.of("between", "t", "" + round));
            }
            reader.linger(Duration.ofMillis(300));
            assertThat(reader.records()).hasSize(41);
            assertThat(reader.repeated()).isZero();
        } finally {
            dropSlot(database);
        }
    }

    /// What the dead one had sent and not written down comes again with the same numbers, and is dropped by the filter.
    @Test
    void aKilledStreamLosesNothingAndExchangesNothing(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic();
        Duration lease = Duration.ofSeconds(3);
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        List<RelayProcess> relays = new ArrayList<>();
        try (Writers writers = Writers.start(database, 4, 3);
                TopicReader reader = new TopicReader(broker, topic)) {
            relays.add(RelayProcess.streaming(database, broker, topic, lease).awaitLanes());
            relays.add(RelayProcess.streaming(database, broker, topic, lease));
            for (int kill = 0; kill < 2; kill++) {
                reader.awaitUntil(() -> database.number(STREAMING) == 1, "the log to be read");
                reader.linger(Duration.ofMillis(700));
                relays.removeFirst().kill();
                relays.add(RelayProcess.streaming(database, broker, topic, lease));
            }
            int expected = writers.finish();
            reader.await(expected).linger(Duration.ofMillis(300));
            KilledRelayTest.assertSameAsTable(database, reader);
        } finally {
            relays.forEach(RelayProcess::close);
            dropSlot(database);
        }
    }

    /// The dead one had published the second event and not written it down; the first one, committed later, has the lower place in the table.
    /// Read from there, it would get the number of the second and be dropped as a repetition.
    @Test
    void theLogIsNotLeftBeforeAllHasComeThatAKilledOneMayHavePublished(
            Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        migration.toWal();
        database.run("CREATE TABLE filling (n int)");
        try (TopicReader reader = new TopicReader(broker, topic);
                Connection slow = database.open();
                Connection large = database.open();
                RelayProcess killed =
                        RelayProcess.streaming(database, broker, topic, Duration.ofSeconds(3))) {
            reader.awaitUntil(() -> database.number(STREAMING) == 1, "the log to be read");
            Outbox outbox = Outbox.in(OutboxTable.TRANSFER_EVENTS);
            slow.setAutoCommit(false);
            outbox.append(slow, OutboxEvent.of("a", "t", "first"));
            large.setAutoCommit(false);
            outbox.append(large, OutboxEvent.of("a", "t", "second"));
            try (Statement statement = large.createStatement()) {
                // So much that a successor asks what is wanted before the event comes.
                statement.execute("INSERT INTO filling SELECT generate_series(1, 300000)");
            }
            database.run(
                    """
                    CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                      IF cardinality(NEW.wal_since) > 0 THEN PERFORM pg_sleep(30); END IF;
                      RETURN NEW;
                    END $$;
                    CREATE TRIGGER stall BEFORE UPDATE ON outbox_source FOR EACH ROW EXECUTE FUNCTION stall()
                    """);
            large.commit();
            reader.await(1);
            killed.kill();
            database.run(
                    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = 'outbox_source'::regclass AND mode = 'RowExclusiveLock'");
            database.run("DROP TRIGGER stall ON outbox_source");
            slow.commit();
            migration.toLog();
            try (Relay _ = Relay.start(database, settings(database, broker, topic))) {
                reader.awaitUntil(() -> database.number(STREAMING) == 0, "the table to be read");
                database.append(OutboxEvent.of("a", "t", "third"));
                reader.awaitUntil(
                                () -> reader.byKey().getOrDefault("a", List.of()).contains("third"),
                                "the last one")
                        .linger(Duration.ofMillis(300));
                assertThat(reader.byKey().get("a")).containsExactly("second", "first", "third");
            }
        } finally {
            dropSlot(database);
        }
    }

    /// Somebody gave the position up, and died before he had dropped the slot.
    @Test
    void aSlotThatWasLeftBehindIsDropped(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        database.run(
                "SELECT pg_create_logical_replication_slot('outbox_' || (SELECT oid FROM pg_database WHERE datname = current_database()) || '_' || 'transfer_events'::regclass::oid, 'pgoutput')");
        assertThat(database.number(slots("count(*)"))).isEqualTo(1);
        try (Relay _ = Relay.start(database, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.awaitUntil(
                    () -> database.number(slots("count(*)")) == 0, "the slot to be dropped");
        } finally {
            dropSlot(database);
        }
    }

    @Test
    void aDatabaseThatIsTooOldIsAnObstacle(Database database) throws Exception {
        try (Connection connection = database.open()) {
            Slot slot = Slot.of(connection, OutboxTable.TRANSFER_EVENTS);
            assertThat(slot.obstacle(connection, true)).isEmpty();
            assertThat(slot.obstacle(ofVersion(13, connection), true))
                    .hasValueSatisfying(
                            reason -> assertThat(reason).contains("PostgreSQL 13", "14 or newer"));
        }
    }

    private static Connection ofVersion(int version, Connection connection) {
        DatabaseMetaData told =
                (DatabaseMetaData)
                        Proxy.newProxyInstance(
                                WalTest.class.getClassLoader(),
                                new Class<?>[] {DatabaseMetaData.class},
                                (_, method, _) ->
                                        method.getName().equals("getDatabaseMajorVersion")
                                                ? version
                                                : null);
        return (Connection)
                Proxy.newProxyInstance(
                        WalTest.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (_, method, arguments) ->
                                method.getName().equals("getMetaData")
                                        ? told
                                        : method.invoke(connection, arguments));
    }

    @Test
    void aRefusedEventIsParkedAndTheStreamGoesOn(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic(Map.of("max.message.bytes", "20000"));
        String large = "x".repeat(30_000);
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        RelaySettings settings =
                settings(database, broker, topic)
                        .withParking(new Backoff(Duration.ofMillis(50), Duration.ofMillis(200)));
        try (Relay relay = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.awaitUntil(() -> database.number(STREAMING) == 1, "the log to be read");
            database.append(
                    OutboxEvent.of("bad", "t", "first"),
                    OutboxEvent.of("bad", "t", large),
                    OutboxEvent.of("good", "t", "1"),
                    OutboxEvent.of("bad", "t", "behind"));
            reader.await(2).awaitUntil(() -> relay.status().parked() == 1, "it to be parked");
            database.append(OutboxEvent.of("bad", "t", "later"), OutboxEvent.of("good", "t", "2"));
            reader.await(3);
            RefusedEventsTest.allow(broker, topic, "100000");
            reader.await(6).linger(Duration.ofMillis(300));
            assertThat(reader.byKey().get("bad"))
                    .containsExactly("first", large, "behind", "later");
            assertThat(reader.byKey().get("good")).containsExactly("1", "2");
            assertThat(database.number(STREAMING)).isEqualTo(1);
        } finally {
            dropSlot(database);
        }
    }

    @Test
    void aTransactionOfSeveralPagesIsCut(Database database, Broker broker) throws Exception {
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        String topic = broker.topic();
        RelaySettings settings = settings(database, broker, topic).withPage(1_000, 1 << 20);
        try (Relay _ = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.awaitUntil(() -> database.number(STREAMING) == 1, "the log to be read");
            database.run(
                    "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'a' || i % 7, i FROM generate_series(1, 12000) i");
            reader.await(12_000).linger(Duration.ofMillis(200));
            assertThat(reader.repeated()).isZero();
            RelayTest.assertInOrder(reader);
        } finally {
            dropSlot(database);
        }
    }

    /// The retention of a slot has to be bounded, otherwise a relay that is away fills the disk.
    @Test
    void withoutABoundTheTableIsRead(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        RelaySettings settings =
                RelaySettings.of(topic, broker.client())
                        .withReplication(Replication.to(database.url(), new Properties()));
        try (Relay _ = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            database.append(OutboxEvent.of("a", "t", "1"));
            reader.await(1);
            assertThat(database.number(slots("count(*)"))).isZero();
        }
    }

    /// Its position is given up, so nobody would ever read the slot again, and the database would keep its log for it.
    @Test
    void aRelayWithoutAReplicationConnectionLeavesNoSlot(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic();
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        try (TopicReader reader = new TopicReader(broker, topic)) {
            try (Relay _ = Relay.start(database, settings(database, broker, topic))) {
                reader.awaitUntil(() -> database.number(STREAMING) == 1, "the log to be read");
                database.append(OutboxEvent.of("a", "t", "1"));
                reader.await(1);
            }
            assertThat(database.number(slots("count(*)"))).isEqualTo(1);
            database.append(OutboxEvent.of("a", "t", "2"));
            try (Relay _ = Relay.start(database, RelaySettings.of(topic, broker.client()))) {
                reader.await(2)
                        .awaitUntil(
                                () -> database.number(slots("count(*)")) == 0,
                                "the slot to be dropped");
                assertThat(database.column("SELECT fallback FROM outbox_source"))
                        .containsExactly("this relay has no replication connection");
                assertThat(reader.byKey().get("a")).containsExactly("1", "2");
            }
        }
    }

    /// A relay that was away for too long: the database has given the slot up, as it was told to.
    @Test
    void aSlotThatTheDatabaseGaveUpIsReplaced(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        try (TopicReader reader = new TopicReader(broker, topic)) {
            try (Relay _ = Relay.start(database, settings(database, broker, topic))) {
                reader.awaitUntil(() -> database.number(STREAMING) == 1, "the log to be read");
                database.append(OutboxEvent.of("a", "t", "1"));
                reader.await(1);
            }
            giveUpSlots(database);
            assertThat(database.column(slots("wal_status"))).containsExactly("lost");
            database.append(OutboxEvent.of("a", "t", "2"));
            try (Relay _ = Relay.start(database, settings(database, broker, topic))) {
                reader.await(2)
                        .awaitUntil(
                                () ->
                                        database.number(slots("count(*)") + " AND active") == 1
                                                && database.number(STREAMING) == 1,
                                "the log to be read again");
                database.append(OutboxEvent.of("a", "t", "3"));
                reader.await(3).linger(Duration.ofMillis(300));
                assertThat(reader.byKey().get("a")).containsExactly("1", "2", "3");
            }
        } finally {
            dropSlot(database);
        }
    }

    /// Keeps next to nothing for them, and fills more of the log than that.
    private static void giveUpSlots(Database database) {
        database.run("CREATE TABLE filling (n int)");
        try {
            database.run("ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'");
            database.run("SELECT pg_reload_conf()");
            for (int i = 0; i < 4; i++) {
                database.run("INSERT INTO filling VALUES (1)");
                database.run("SELECT pg_switch_wal()");
            }
            database.run("CHECKPOINT");
        } finally {
            database.run("ALTER SYSTEM RESET max_slot_wal_keep_size");
            database.run("SELECT pg_reload_conf()");
        }
    }

    /// The log speaks of the table, whichever of its partitions a row is in; and partitions go though nobody reads them.
    @Test
    void eventsInPartitionsAreStreamed(Database database, Broker broker) throws Exception {
        PartitionsTest.partitioned(database, 100);
        String topic = broker.topic();
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        RelaySettings settings = settings(database, broker, topic).withRetention(Duration.ZERO);
        try (Relay _ = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.awaitUntil(() -> database.number(STREAMING) == 1, "the log to be read");
            for (int written = 100; written <= 300; written += 100) {
                PartitionsTest.write(database, 100);
                reader.await(written);
            }
            reader.awaitUntil(
                    () -> !PartitionsTest.partitions(database).contains("transfer_events_p100"),
                    "old partitions to go");
            PartitionsTest.write(database, 100);
            reader.await(400);
            assertThat(reader.repeated()).isZero();
            assertThat(database.number(STREAMING)).isEqualTo(1);
        }
    }

    private static RelaySettings settings(Database database, Broker broker, String topic) {
        return RelaySettings.of(topic, broker.client())
                .withReplication(Replication.to(database.url(), new Properties()).unbounded());
    }

    private static String slots(String what) {
        return "SELECT "
                + what
                + " FROM pg_replication_slots WHERE slot_name LIKE '%\\_' || 'transfer_events'::regclass::oid";
    }

    private static void dropSlot(Database database) {
        for (int attempt = 0; attempt < 100 && database.number(slots("count(*)")) > 0; attempt++) {
            database.run(slots("pg_terminate_backend(active_pid)") + " AND active");
            try {
                database.run(slots("pg_drop_replication_slot(slot_name)") + " AND NOT active");
            } catch (IllegalStateException e) {
                // somebody was faster
            }
        }
    }
}
