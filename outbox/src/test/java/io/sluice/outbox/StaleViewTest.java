package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.membership.Members;
import io.sluice.outbox.operating.Migration;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Log mode is wanted, and the members know it, at the moment when a relay saves its position in the log: until they know of that, what they know says that the
/// table is to be read.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@ResourceLock(value = Slots.LOCK, mode = ResourceAccessMode.READ)
@Timeout(120)
class StaleViewTest {
    /// Members look around when they are told to, and otherwise not while a test lasts.
    private static final Duration LEASE = Duration.ofMinutes(10);

    private static final String HELD =
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 'outbox_source'::regclass::oid AND objid = 7 AND NOT granted";

    @Test
    void whatTheStreamWillBringIsNotReadFromTheTable(Database database, Broker broker)
            throws Exception {
        assertComesOnce(database, database, broker);
    }

    /// And it does not remember, either, that it has saved a position.
    @Test
    void norByOneWhoseConnectionIsLostThen(Database database, Broker broker) throws Exception {
        BreakingConnections breaking = BreakingConnections.behind(database, "SET wal_lsn = ?");
        assertComesOnce(database, breaking, broker);
        assertThat(breaking.isBroken()).isTrue();
    }

    private static void assertComesOnce(
            Database database, ConnectionSource connections, Broker broker) throws Exception {
        String topic = broker.topic();
        RelaySettings settings = Slots.settings(database, broker, topic).withLease(LEASE);
        Migration migration = new Migration(database, OutboxTable.TRANSFER_EVENTS);
        migration.toWal();
        database.run(
                """
                CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                  IF EXISTS (SELECT FROM outbox_source WHERE wal_lsn IS NULL) THEN
                    PERFORM pg_advisory_xact_lock('outbox_source'::regclass::oid::int, 7);
                  END IF;
                  RETURN NULL;
                END $$;
                CREATE TRIGGER hold BEFORE UPDATE OF wal_lsn ON outbox_source FOR EACH STATEMENT EXECUTE FUNCTION hold()
                """);
        try (Connection holding = database.open();
                TopicReader reader = new TopicReader(broker, topic)) {
            run(holding, "SELECT pg_advisory_lock('outbox_source'::regclass::oid::int, 7)");
            try (Relay _ = Relay.start(connections, settings)) {
                reader.awaitUntil(() -> database.number(HELD) == 1, "a position to be saved");
                migration.toLog();
                awaitKnown(database, reader);
                database.append(OutboxEvent.of("a", "t", "1"));
                run(holding, "SELECT pg_advisory_unlock('outbox_source'::regclass::oid::int, 7)");
                reader.await(1);
                awaitKnown(database, reader);
                reader.awaitUntil(
                        () -> database.number(Slots.ask("count(*)")) == 0, "the slot to be gone");
                database.append(OutboxEvent.of("a", "t", "2"));
                reader.await(2).linger(Duration.ofMillis(300));
                assertThat(reader.byKey().get("a")).containsExactly("1", "2");
            }
        } finally {
            Slots.drop(database);
        }
    }

    /// The third time that the relay looks around it has begun to after this.
    private static void awaitKnown(Database database, TopicReader reader) throws Exception {
        for (int i = 0; i < 3; i++) {
            long before = lookedAround(database);
            try (Connection connection = database.open()) {
                Members.tellMembers(connection);
            }
            reader.awaitUntil(() -> lookedAround(database) > before, "the relay to look around");
        }
    }

    private static long lookedAround(Database database) {
        return database.number(
                "SELECT (extract(epoch FROM max(until)) * 1000000)::bigint FROM outbox_member");
    }

    private static void run(Connection connection, String sql) throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
