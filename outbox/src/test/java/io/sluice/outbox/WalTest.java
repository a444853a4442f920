package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Backoff;
import io.sluice.outbox.operating.Migration;
import io.sluice.outbox.wal.LaneHash;
import java.sql.Connection;
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
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Events from the database's log: in, out, and when the slot is lost.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@ResourceLock(value = Slots.LOCK, mode = ResourceAccessMode.READ)
@Timeout(240)
@Order(1)
class WalTest {
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
                Relay _ = Relay.start(database, Slots.settings(database, broker, topic));
                Relay _ = Relay.start(database, Slots.settings(database, broker, topic));
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(50);
            migration.toWal();
            reader.awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read");
            reader.linger(Duration.ofMillis(500));
            Slots.drop(database);
            reader.awaitUntil(
                    () ->
                            database.number(
                                            "SELECT count(*) FROM outbox_source WHERE fallback IS NOT NULL")
                                    == 1,
                    "the table to take over");
            reader.awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read again");
            reader.linger(Duration.ofMillis(500));
            migration.toLog();
            reader.awaitUntil(() -> Slots.streaming(database) == 0, "the table to be read");
            int expected = writers.finish();
            reader.await(expected).linger(Duration.ofMillis(300));
            KilledRelayTest.assertSameAsTable(database, reader);
            assertThat(database.number(Slots.ask("count(*)"))).as("slots left").isZero();
        }
    }

    @Test
    void aSuccessorGoesOnWhereTheStreamWas(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        try (TopicReader reader = new TopicReader(broker, topic)) {
            for (int round = 1; round <= 2; round++) {
                int events = 10 * round;
                try (Relay _ = Relay.start(database, Slots.settings(database, broker, topic))) {
                    reader.awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read");
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
            Slots.drop(database);
        }
    }

    /// What the dead one had sent and not written down comes again with the same numbers, and is dropped by the filter; the frozen one wakes up with
    /// its own idea of how far it was.
    @Test
    void streamsThatAreKilledAndFrozenLoseNothingAndExchangeNothing(
            Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        Duration lease = Duration.ofSeconds(1);
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        List<RelayProcess> relays = new ArrayList<>();
        try (Writers writers = Writers.start(database, 4, 3);
                TopicReader reader = new TopicReader(broker, topic)) {
            relays.add(RelayProcess.streaming(database, broker, topic, lease).awaitLanes());
            relays.add(RelayProcess.streaming(database, broker, topic, lease));
            reader.awaitUntil(() -> members(database) == 2, "the successor to be there");
            relays.add(RelayProcess.streaming(database, broker, topic, lease));
            reader.awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read");
            reader.awaitUntil(() -> members(database) == 3, "all to be there");
            reader.linger(Duration.ofMillis(500));
            relays.removeFirst().kill();
            reader.awaitUntil(() -> members(database) == 2, "the dead one to be buried");
            reader.linger(Duration.ofMillis(500));
            RelayProcess streaming = relays.getFirst().awaitLanes();
            streaming.freeze();
            reader.awaitUntil(() -> members(database) == 1, "the frozen one to be buried");
            reader.linger(Duration.ofMillis(500));
            streaming.thaw();
            reader.awaitUntil(() -> members(database) == 2, "it to join again");
            int expected = writers.finish();
            reader.await(expected).linger(Duration.ofMillis(300));
            KilledRelayTest.assertSameAsTable(database, reader);
        } finally {
            relays.forEach(RelayProcess::close);
            Slots.drop(database);
        }
    }

    private static long members(Database database) {
        return database.number("SELECT count(*) FROM outbox_member");
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
            reader.awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read");
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
            try (Relay _ = Relay.start(database, Slots.settings(database, broker, topic))) {
                reader.awaitUntil(() -> Slots.streaming(database) == 0, "the table to be read");
                database.append(OutboxEvent.of("a", "t", "third"));
                reader.awaitUntil(
                                () -> reader.byKey().getOrDefault("a", List.of()).contains("third"),
                                "the last one")
                        .linger(Duration.ofMillis(300));
                assertThat(reader.byKey().get("a")).containsExactly("second", "first", "third");
            }
        } finally {
            Slots.drop(database);
        }
    }

    @Test
    void aRefusedEventIsParkedAndTheStreamGoesOn(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic(Map.of("max.message.bytes", "20000"));
        String large = "x".repeat(30_000);
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        RelaySettings settings =
                Slots.settings(database, broker, topic)
                        .withParking(new Backoff(Duration.ofMillis(50), Duration.ofMillis(200)));
        try (Relay relay = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read");
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
            assertThat(Slots.streaming(database)).isEqualTo(1);
        } finally {
            Slots.drop(database);
        }
    }

    /// It had given the refused event a number, and perhaps sent it. The stream cannot go on before that is sent, and how far the dead one got is only
    /// known when the stream has gone on.
    @Test
    void aRetryThatADeadOneBeganIsFinishedFirst(Database database, Broker broker) throws Exception {
        String topic = broker.topic(Map.of("max.message.bytes", "20000"));
        String large = "x".repeat(30_000);
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        RelaySettings settings =
                Slots.settings(database, broker, topic)
                        .withParking(new Backoff(Duration.ofHours(1), Duration.ofHours(1)));
        try (TopicReader reader = new TopicReader(broker, topic)) {
            try (Relay relay = Relay.start(database, settings)) {
                reader.awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read");
                database.append(OutboxEvent.of("bad", "t", large));
                reader.awaitUntil(() -> relay.status().parked() == 1, "it to be parked");
            }
            database.run(
                    "UPDATE outbox_lane SET sequence = sequence + 1 WHERE lane = outbox_lane_of('bad')");
            database.run(
                    "UPDATE outbox_parked p SET sequence = l.sequence FROM outbox_lane l WHERE l.lane = p.lane");
            database.append(OutboxEvent.of("good", "t", "1"), OutboxEvent.of("bad", "t", "behind"));
            RefusedEventsTest.allow(broker, topic, "100000");
            try (Relay _ = Relay.start(database, settings)) {
                reader.await(3);
                assertThat(reader.byKey().get("bad")).containsExactly(large, "behind");
            }
        } finally {
            Slots.drop(database);
        }
    }

    /// A lane that is led to a snapshot while it waits for a setting, with numbers already given, would wait for ever.
    @Test
    void theLogIsNotEnteredInTheMiddleOfARetry(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        database.run("UPDATE outbox_lane SET sequence = 1 WHERE lane = outbox_lane_of('bad')");
        database.run(
                "INSERT INTO outbox_parked (outbox, lane, aggregate_id, ord, event_id, payload, state, sequence) VALUES ('transfer_events', outbox_lane_of('bad'), 'bad', 1, '1', 'x', 'FAILED', 1)");
        Replication replication = Replication.to(database.url(), new Properties()).unbounded();
        Map<String, Object> producer =
                Map.of("bootstrap.servers", broker.bootstrap(), "max.block.ms", 500);
        RelaySettings wrong =
                RelaySettings.of("no topic of this name!", producer).withReplication(replication);
        try (TopicReader reader = new TopicReader(broker, topic)) {
            try (Relay relay = Relay.start(database, wrong)) {
                reader.awaitUntil(
                                () ->
                                        !relay.status().stopped().isEmpty()
                                                && database.number(Slots.ask("count(*)")) == 1,
                                "the lane to stop, and a slot to be made")
                        .linger(Duration.ofMillis(700));
            }
            try (Relay _ = Relay.start(database, Slots.settings(database, broker, topic))) {
                assertThat(reader.await(1).byKey().get("bad")).containsExactly("x");
            }
        } finally {
            Slots.drop(database);
        }
    }

    @Test
    void aTransactionOfSeveralPagesIsCut(Database database, Broker broker) throws Exception {
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        String topic = broker.topic();
        RelaySettings settings = Slots.settings(database, broker, topic).withPage(1_000, 1 << 20);
        try (Relay _ = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read");
            database.run(
                    "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'a' || i % 7, i FROM generate_series(1, 12000) i");
            reader.await(12_000).linger(Duration.ofMillis(200));
            assertThat(reader.repeated()).isZero();
            RelayTest.assertInOrder(reader);
        } finally {
            Slots.drop(database);
        }
    }

    /// What is published of it has numbers that the table, which would begin with it again, does not know.
    @Test
    void theLogIsNotLeftInTheMiddleOfATransaction(Database database, Broker broker)
            throws Exception {
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        migration.toWal();
        String topic = broker.topic();
        RelaySettings settings = Slots.settings(database, broker, topic).withPage(10, 1 << 20);
        try (Relay _ = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read");
            database.run(
                    "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'a' || i % 7, i FROM generate_series(1, 15000) i");
            reader.await(1);
            migration.toLog();
            reader.awaitUntil(() -> Slots.streaming(database) == 0, "the table to be read");
            reader.await(15_000).linger(Duration.ofMillis(300));
            assertThat(reader.records()).hasSize(15_000);
            assertThat(reader.repeated()).isZero();
            RelayTest.assertInOrder(reader);
        } finally {
            Slots.drop(database);
        }
    }

    /// The log speaks of the table, whichever of its partitions a row is in; and partitions go though nobody reads them.
    @Test
    void eventsInPartitionsAreStreamed(Database database, Broker broker) throws Exception {
        PartitionsTest.partitioned(database, 100);
        String topic = broker.topic();
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        RelaySettings settings =
                Slots.settings(database, broker, topic).withRetention(Duration.ZERO);
        try (Relay _ = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read");
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
            assertThat(Slots.streaming(database)).isEqualTo(1);
        } finally {
            Slots.drop(database);
        }
    }
}
