package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.outbox.operating.Migration;
import io.sluice.outbox.wal.Slot;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Whose the slot is, and what becomes of one that nobody reads.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@ResourceLock(value = Slots.LOCK, mode = ResourceAccessMode.READ)
@Timeout(240)
@Order(1)
class WalSlotTest {
    /// Somebody gave the position up, and died before he had dropped the slot.
    @Test
    void aSlotThatWasLeftBehindIsDropped(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        database.run(
                "SELECT pg_create_logical_replication_slot('outbox_' || (SELECT oid FROM pg_database WHERE datname = current_database()) || '_' || 'transfer_events'::regclass::oid, 'pgoutput')");
        assertThat(database.number(Slots.ask("count(*)"))).isEqualTo(1);
        try (Relay _ = Relay.start(database, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.awaitUntil(
                    () -> database.number(Slots.ask("count(*)")) == 0, "the slot to be dropped");
        } finally {
            Slots.drop(database);
        }
    }

    /// It was about to drop what a predecessor might have left behind, and to make a slot and a publication of its own.
    @Test
    void aFrozenRelayThatWakesUpDropsNoSlotOfItsSuccessor(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic();
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        try (TopicReader reader = new TopicReader(broker, topic)) {
            freezeAndWake(
                    database,
                    Slots.settings(database, broker, topic),
                    "SELECT FROM pg_replication_slots",
                    reader);
        } finally {
            Slots.drop(database);
        }
    }

    /// It was about to throw out whoever reads the slot, since the lanes were its own.
    @Test
    void aFrozenRelayThatWakesUpDoesNotThrowItsSuccessorOut(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic();
        RelaySettings settings = Slots.settings(database, broker, topic);
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        try (TopicReader reader = new TopicReader(broker, topic)) {
            try (Relay _ = Relay.start(database, settings)) {
                reader.awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read");
            }
            freezeAndWake(database, settings, "pg_terminate_backend", reader);
        } finally {
            Slots.drop(database);
        }
    }

    private static void freezeAndWake(
            Database database, RelaySettings settings, String moment, TopicReader reader) {
        FreezableConnections connections = FreezableConnections.before(database, moment);
        RelaySettings quickly = settings.withLease(Duration.ofSeconds(1));
        Relay frozen = Relay.start(connections, quickly);
        try {
            reader.awaitUntil(connections::isFrozen, "it to be frozen");
            try (Relay _ = Relay.start(database, quickly)) {
                reader.awaitUntil(
                        () ->
                                Slots.streaming(database) == 1
                                        && database.number(Slots.ask("count(*)") + " AND active")
                                                == 1,
                        "the successor to read the log");
                List<String> stream = database.column(Slots.ask("active_pid"));
                connections.thaw();
                frozen.close();
                database.append(OutboxEvent.of("a", "t", "1"));
                reader.await(1);
                assertThat(database.column(Slots.ask("active_pid"))).isEqualTo(stream);
                assertThat(database.number(Slots.STREAMING + " AND fallback IS NULL")).isEqualTo(1);
            }
        } finally {
            connections.thaw();
            frozen.close();
        }
    }

    /// A host is lost, or a firewall forgets the connection: nothing says so, and nothing comes.
    @Test
    void aStreamThatFallsSilentIsMadeAnew(Database database, Broker broker) throws Exception {
        String topic = broker.topic();
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        try (SilentLink link = SilentLink.to(database);
                Relay _ = Relay.start(database, Slots.settings(link.database(), broker, topic));
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read");
            for (int i = 1; i <= 2; i++) {
                database.append(OutboxEvent.of("a", "t", "" + i));
                reader.await(i).linger(Duration.ofMillis(300));
            }
            link.fallSilent();
            database.append(OutboxEvent.of("a", "t", "3"));
            reader.await(3)
                    .awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read again");
            assertThat(reader.byKey().get("a")).containsExactly("1", "2", "3");
            assertThat(reader.repeated()).isZero();
        } finally {
            Slots.drop(database);
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

    /// It is published while the lanes are held; nobody could save one as long as somebody keeps the table.
    @Test
    void aTableThatSomebodyKeepsIsNotAwaitedWithTheLanesHeld(Database database) throws Exception {
        try (Connection connection = database.open();
                HeldTable _ = HeldTable.of(database)) {
            connection.setNetworkTimeout(Runnable::run, 60_000); // Rather than wait for ever.
            Slot slot = Slot.of(connection, OutboxTable.TRANSFER_EVENTS);
            assertThatThrownBy(
                            () ->
                                    slot.make(
                                            connection,
                                            (in, action) ->
                                                    Transaction.in(
                                                            in,
                                                            () -> {
                                                                action.run();
                                                                return true;
                                                            }),
                                            database))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("lock timeout");
        }
    }

    /// The thread that makes it may meet with anything; the relay would wait for a slot that nobody makes.
    @Test
    void aSlotThatCannotBeMadeIsNotAwaited(Database database) throws Exception {
        Connection failing =
                (Connection)
                        Proxy.newProxyInstance(
                                WalSlotTest.class.getClassLoader(),
                                new Class<?>[] {Connection.class},
                                (_, method, _) -> {
                                    if (method.getName().equals("createStatement")) {
                                        throw new OutOfMemoryError("not a byte");
                                    }
                                    return null;
                                });
        try (Connection connection = database.open()) {
            Slot slot = Slot.of(connection, OutboxTable.TRANSFER_EVENTS);
            Slot.Making making = slot.make(connection, (_, _) -> true, () -> failing);
            while (!making.isDone()) {
                Thread.sleep(10);
            }
            assertThatThrownBy(() -> making.made(connection))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("not a byte");
        }
    }

    private static Connection ofVersion(int version, Connection connection) {
        DatabaseMetaData told =
                (DatabaseMetaData)
                        Proxy.newProxyInstance(
                                WalSlotTest.class.getClassLoader(),
                                new Class<?>[] {DatabaseMetaData.class},
                                (_, method, _) ->
                                        method.getName().equals("getDatabaseMajorVersion")
                                                ? version
                                                : null);
        return (Connection)
                Proxy.newProxyInstance(
                        WalSlotTest.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (_, method, arguments) ->
                                method.getName().equals("getMetaData")
                                        ? told
                                        : method.invoke(connection, arguments));
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
            assertThat(database.number(Slots.ask("count(*)"))).isZero();
        }
    }

    /// Its position is given up, so nobody would ever read the slot again, and the database would keep its log for it.
    @Test
    void aRelayWithoutAReplicationConnectionLeavesNoSlot(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic();
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toWal();
        try (TopicReader reader = new TopicReader(broker, topic)) {
            try (Relay _ = Relay.start(database, Slots.settings(database, broker, topic))) {
                reader.awaitUntil(() -> Slots.streaming(database) == 1, "the log to be read");
                database.append(OutboxEvent.of("a", "t", "1"));
                reader.await(1);
            }
            assertThat(database.number(Slots.ask("count(*)"))).isEqualTo(1);
            database.append(OutboxEvent.of("a", "t", "2"));
            try (Relay _ = Relay.start(database, RelaySettings.of(topic, broker.client()))) {
                reader.await(2)
                        .awaitUntil(
                                () -> database.number(Slots.ask("count(*)")) == 0,
                                "the slot to be dropped");
                assertThat(database.column("SELECT fallback FROM outbox_source"))
                        .containsExactly("this relay has no replication connection");
                assertThat(reader.byKey().get("a")).containsExactly("1", "2");
            }
        }
    }
}
