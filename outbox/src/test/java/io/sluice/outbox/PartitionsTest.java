package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.outbox.compat.CompatRelay;
import io.sluice.outbox.compat.CompatSettings;
import io.sluice.outbox.operating.Migration;
import io.sluice.outbox.partitions.EventPartitions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Old events go with their partitions.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(180)
class PartitionsTest {
    private static final String DEAD =
            "SELECT coalesce(sum(n_dead_tup + n_tup_upd + n_tup_del), 0) FROM pg_stat_user_tables WHERE relname LIKE 'transfer_events%' AND schemaname = current_schema()";

    @Test
    void partitionsAreMadeAheadAndDroppedWhenAllIsPublished(Database database, Broker broker)
            throws Exception {
        partitioned(database, 1_000);
        String topic = broker.topic();
        RelaySettings settings =
                RelaySettings.of(topic, broker.client()).withRetention(Duration.ZERO);
        try (Relay _ = Relay.start(database, settings);
                Relay _ = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            for (int i = 0; i < 5; i++) {
                write(database, 1_000);
                int written = (i + 1) * 1_000;
                reader.await(written)
                        .awaitUntil(() -> ahead(database) >= 2, "partitions ahead of the writers");
            }
            reader.awaitUntil(() -> partitions(database).size() <= 4, "old partitions to go");
            assertThat(partitions(database)).doesNotContain("transfer_events_p0");
            write(database, 10);
            reader.await(5_010);
            assertThat(reader.repeated()).isZero();
        }
        database.run("ANALYZE transfer_events");
        assertThat(database.number(DEAD)).as("dead rows").isZero();
    }

    /// Those of log mode may have been stopped. How long partitions are kept is their setting.
    @Test
    void relaysOfCompatModeMakePartitionsAndDropNone(Database database, Broker broker)
            throws Exception {
        partitioned(database, 100);
        database.run("SELECT setval('transfer_events_ord', 100)");
        database.run(
                "UPDATE outbox_partition SET closed_at = now() - interval '9 d', mark = '3:3:' WHERE from_ord = 0");
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toCompat(Duration.ofSeconds(10));
        String topic = broker.topic();
        try (CompatRelay _ =
                        CompatRelay.start(
                                database,
                                OutboxTable.TRANSFER_EVENTS,
                                topic,
                                broker.client(),
                                CompatSettings.of(
                                        Map.of(), Map.of("app.outbox.relay.fixedDelayMs", "50")));
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.awaitUntil(() -> ahead(database) >= 3, "partitions ahead of the first writer");
            write(database, 250);
            reader.await(250)
                    .awaitUntil(() -> ahead(database) >= 3, "partitions ahead of the writers");
            write(database, 250);
            reader.await(500);
            assertThat(partitions(database)).contains("transfer_events_p0");
            try (Connection other = database.open()) {
                EventPartitions log = new EventPartitions(OutboxTable.TRANSFER_EVENTS);
                reader.awaitUntil(
                        () -> {
                            maintain(log, other);
                            return !partitions(database).contains("transfer_events_p0");
                        },
                        "a relay of log mode to drop it beside them");
            }
        }
    }

    /// It holds a number of the partition, and will write it.
    @Test
    void aPartitionWaitsForOpenTransactions(Database database, Broker broker) throws Exception {
        partitioned(database, 100);
        String topic = broker.topic();
        RelaySettings settings =
                RelaySettings.of(topic, broker.client()).withRetention(Duration.ZERO);
        try (Connection slow = database.open();
                Relay _ = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            slow.setAutoCommit(false);
            Outbox.in(OutboxTable.TRANSFER_EVENTS).append(slow, OutboxEvent.of("slow", "t", "1"));
            write(database, 150);
            reader.await(150)
                    .awaitUntil(
                            () ->
                                    database.number(
                                                    "SELECT count(*) FROM outbox_partition WHERE mark IS NOT NULL")
                                            > 0,
                            "the first partition to be marked")
                    .linger(Duration.ofSeconds(2));
            assertThat(partitions(database)).contains("transfer_events_p0");
            slow.commit();
            reader.await(151);
            reader.awaitUntil(
                    () -> !partitions(database).contains("transfer_events_p0"), "it to go");
        }
    }

    /// Written in compat mode, and seen by the lanes since the way back: nobody but compat mode will publish it.
    @Test
    void aPartitionWaitsForCompatMode(Database database, Broker broker) throws Exception {
        partitioned(database, 100);
        String topic = broker.topic();
        RelaySettings settings =
                RelaySettings.of(topic, broker.client()).withRetention(Duration.ZERO);
        write(database, 150);
        database.run("UPDATE transfer_events SET status = 'SENDING' WHERE ord = 7");
        try (Relay _ = Relay.start(database, settings);
                TopicReader reader = new TopicReader(broker, topic)) {
            write(database, 100);
            reader.await(250)
                    .awaitUntil(
                            () ->
                                    !partitions(database).contains("transfer_events_p100")
                                            && database.number(
                                                            "SELECT count(*) FROM outbox_partition WHERE from_ord = 0 AND mark IS NOT NULL")
                                                    == 1,
                            "the second partition to go");
            assertThat(partitions(database)).contains("transfer_events_p0");
            database.run("UPDATE transfer_events SET status = 'PUBLISHED' WHERE ord = 7");
            reader.awaitUntil(
                    () -> !partitions(database).contains("transfer_events_p0"), "it to go");
        }
    }

    /// The partition was looked at, and then waits for whoever uses it: among them somebody who gives an event back to compat mode.
    @Test
    void whatIsGivenToCompatModeMeanwhileIsNotDropped(Database database) throws Exception {
        partitioned(database, 10);
        write(database, 25);
        allIsPublished(database);
        EventPartitions partitions = new EventPartitions(OutboxTable.TRANSFER_EVENTS);
        try (Connection session = database.open();
                Connection other = database.open();
                Statement giving = other.createStatement();
                Statement asking = session.createStatement()) {
            String pid = first(asking, "SELECT pg_backend_pid()");
            other.setAutoCommit(false);
            giving.execute("UPDATE transfer_events SET status = 'SENDING' WHERE ord = 7");
            Thread dropping = Thread.ofPlatform().start(() -> maintain(partitions, session));
            while (database.number(
                            "SELECT count(*) FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'"
                                    .formatted(pid))
                    == 0) {
                Thread.sleep(10);
            }
            other.commit();
            dropping.join();
            partitions.maintain(session, Duration.ZERO);
            assertThat(database.column("SELECT ord FROM transfer_events WHERE status = 'SENDING'"))
                    .containsExactly("7");
            assertThat(partitions(database))
                    .contains("transfer_events_p0")
                    .doesNotContain("transfer_events_p10");
            database.run("UPDATE transfer_events SET status = 'PUBLISHED' WHERE ord = 7");
            partitions.maintain(session, Duration.ZERO);
            assertThat(partitions(database)).doesNotContain("transfer_events_p0");
        }
    }

    private static void maintain(EventPartitions partitions, Connection session) {
        try {
            partitions.maintain(session, Duration.ZERO);
        } catch (SQLException e) {
            // It was not free for five seconds, on a slow machine; the next attempt goes on there.
        }
    }

    @Test
    void aTableWithoutPartitionsIsNamed(Database database) throws Exception {
        try (Connection connection = database.open()) {
            assertThatThrownBy(
                            () ->
                                    OutboxSchema.installPartitioned(
                                            connection, OutboxTable.TRANSFER_EVENTS, 10))
                    .hasMessageContaining("transfer_events is there and has no partitions");
        }
    }

    @Test
    void aMissingPartitionIsMadeBeforeItIsNeeded(Database database) throws Exception {
        partitioned(database, 10);
        assertThat(partitions(database)).hasSize(3);
        write(database, 29);
    }

    /// Whoever died between making a partition and writing it down must not be the end of making partitions.
    @Test
    void aPartitionThatWasNotWrittenDownIsFound(Database database) throws Exception {
        partitioned(database, 10);
        write(database, 15);
        EventPartitions partitions = new EventPartitions(OutboxTable.TRANSFER_EVENTS);
        try (Connection connection = database.open()) {
            partitions.maintain(connection, Duration.ofDays(1));
            assertThat(partitions(database)).hasSize(5);
            database.run("DELETE FROM outbox_partition WHERE from_ord = 40");
            partitions.maintain(connection, Duration.ofDays(1));
        }
        assertThat(partitions(database)).hasSize(5);
        assertThat(ahead(database)).isEqualTo(3);
    }

    /// The session is one of a pool, whose other users have set how long they wait.
    @Test
    void howLongASessionWaitsForLocksIsAsItWas(Database database) throws Exception {
        partitioned(database, 10);
        write(database, 25);
        allIsPublished(database);
        EventPartitions partitions = new EventPartitions(OutboxTable.TRANSFER_EVENTS);
        try (Connection session = database.open();
                Statement statement = session.createStatement()) {
            statement.execute("SET lock_timeout = '7min'");
            database.run("CREATE VIEW in_the_way AS SELECT * FROM transfer_events_p10");
            assertThatThrownBy(() -> partitions.maintain(session, Duration.ZERO))
                    .hasMessageContaining("in_the_way");
            assertThat(partitions(database))
                    .as("the first is dropped, the second is stuck")
                    .doesNotContain("transfer_events_p0", "transfer_events_p10");
            assertThat(lockTimeout(statement)).isEqualTo("7min");
            database.run("DROP VIEW in_the_way");
            partitions.maintain(session, Duration.ZERO);
            assertThat(database.column("SELECT name FROM outbox_partition ORDER BY from_ord"))
                    .first()
                    .isEqualTo("transfer_events_p20");
            assertThat(lockTimeout(statement)).isEqualTo("7min");
        }
    }

    private static String lockTimeout(Statement statement) throws Exception {
        return first(statement, "SHOW lock_timeout");
    }

    private static String first(Statement statement, String sql) throws Exception {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    /// As if every lane were far behind the first two partitions, and they had been closed for long.
    private static void allIsPublished(Database database) {
        database.run(
                "UPDATE outbox_partition SET closed_at = now() - interval '1 h', mark = '1:1:' WHERE from_ord < 20");
    }

    /// It holds the lock under which partitions are made, and nobody tells the database that nothing more will come.
    @Test
    void aFrozenRelayDoesNotLetTheWritersRunOutOfPartitions(Database database, Broker broker)
            throws Exception {
        partitioned(database, 100);
        String topic = broker.topic();
        RelaySettings settings =
                RelaySettings.of(topic, broker.client())
                        .withRetention(Duration.ZERO)
                        .withLease(Duration.ofSeconds(1));
        FreezableConnections connections = FreezableConnections.atAnyTime(database);
        try (TopicReader reader = new TopicReader(broker, topic);
                Relay _ = Relay.start(connections, settings)) {
            reader.awaitUntil(
                    () ->
                            database.number(
                                            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 'outbox_partition'::regclass::oid")
                                    == 1,
                    "it to look after the partitions");
            connections.freeze();
            try (Relay _ = Relay.start(database, settings)) {
                write(database, 150);
                reader.awaitUntil(() -> ahead(database) >= 3, "the other one to make partitions");
            } finally {
                connections.thaw();
            }
        }
    }

    static void partitioned(Database database, int size) throws Exception {
        database.run("DROP TABLE transfer_events");
        database.run("DROP SEQUENCE transfer_events_ord");
        try (Connection connection = database.open()) {
            OutboxSchema.installPartitioned(connection, OutboxTable.TRANSFER_EVENTS, size);
        }
    }

    static void write(Database database, int count) {
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'a' || i % 50, i FROM generate_series(1, "
                        + count
                        + ") i");
    }

    private static long ahead(Database database) {
        return database.number(
                "SELECT count(*) FROM outbox_partition WHERE from_ord > (SELECT last_value FROM transfer_events_ord)");
    }

    static List<String> partitions(Database database) {
        return database.column(
                "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'transfer_events'::regclass ORDER BY 1");
    }
}
