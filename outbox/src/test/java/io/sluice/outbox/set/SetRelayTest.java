package io.sluice.outbox.set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.FreezableConnections;
import io.sluice.outbox.Outbox;
import io.sluice.outbox.OutboxEvent;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.PooledSession;
import io.sluice.outbox.RelaySettings;
import io.sluice.outbox.consuming.DuplicateFilter;
import io.sluice.outbox.lanes.Backoff;
import io.sluice.testing.Sluice;
import io.sluice.testing.SluiceExtension;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Set mode on a real MariaDB.
@ExtendWith({MariaDb.Extension.class, SluiceExtension.class})
@Timeout(120)
class SetRelayTest {
    private static final AtomicInteger TOPICS = new AtomicInteger();
    private static final int ACCOUNTS = 8;

    @Test
    @DisplayName(
            "O1, O3, O6: relays come and go while writers write; nothing lost, every aggregate in order")
    void relaysShareTheWork(MariaDb database, Sluice sluice) throws Exception {
        String topic = topic(sluice, Map.of());
        RelaySettings settings = settings(sluice, topic);
        database.run("CREATE TABLE account (id varchar(20) PRIMARY KEY, version int NOT NULL)");
        for (int i = 0; i < ACCOUNTS; i++) {
            database.run("INSERT INTO account VALUES ('account-%d', 0)".formatted(i));
        }
        List<Thread> writers = new ArrayList<>();
        try (SetRelay first = SetRelay.start(database, settings)) {
            for (int i = 0; i < 4; i++) {
                Random random = new Random(i);
                writers.add(Thread.ofPlatform().start(() -> write(database, random)));
            }
            SetRelay second = SetRelay.start(database, settings);
            await(() -> first.lanes().size() == 32 && second.lanes().size() == 32);
            second.close();
            await(() -> first.lanes().size() == 64);
            for (Thread writer : writers) {
                writer.join();
            }
            await(() -> database.number("SELECT count(*) FROM transfer_events") == 0);
            assertThat(first.health().reasons()).isEmpty();
        }
        Map<String, List<String>> published = byKey(read(sluice, topic, 400));
        for (int i = 0; i < ACCOUNTS; i++) {
            long versions =
                    database.number(
                            "SELECT version FROM account WHERE id = 'account-%d'".formatted(i));
            assertThat(published.getOrDefault("account-" + i, List.of()))
                    .isEqualTo(
                            IntStream.rangeClosed(1, (int) versions)
                                    .mapToObj(Integer::toString)
                                    .toList());
        }
    }

    @Test
    void whoNeverReachedTheBrokerTakesNoLanes(MariaDb database, Sluice sluice) throws Exception {
        String topic = topic(sluice, Map.of());
        append(database, "a", "1");
        append(database, "b", "1");
        append(database, "c", "1");
        RelaySettings nowhere =
                RelaySettings.of(
                        topic, Map.of("bootstrap.servers", "localhost:1", "max.block.ms", 500));
        try (SetRelay far = SetRelay.start(database, nowhere);
                SetRelay near = SetRelay.start(database, settings(sluice, topic))) {
            await(() -> !far.health().up() && near.lanes().size() == 64);
            await(() -> database.number("SELECT count(*) FROM transfer_events") == 0);
            assertThat(far.health().reasons()).anyMatch(reason -> reason.contains("broker"));
            assertThat(database.number("SELECT count(*) FROM outbox_set_member")).isEqualTo(1);
        }
    }

    /// A predecessor died while it was sending: its list says what, and with which numbers; whoever committed meanwhile comes after it.
    @Test
    void aSuccessorRepeatsWhatWasBeingSent(MariaDb database, Sluice sluice) throws Exception {
        String topic = topic(sluice, Map.of());
        append(database, "a", "1", "2", "3", "4");
        database.run(
                "UPDATE outbox_set_lane SET sequence = 100, epoch = 7, owner = 999, sending = '1,-,3' WHERE lane = (CRC32('a') & 63)");
        try (SetRelay _ = SetRelay.start(database, settings(sluice, topic))) {
            List<ConsumerRecord<String, String>> records = read(sluice, topic, 4);
            assertThat(records.stream().map(record -> record.value() + "@" + header(record)))
                    .containsExactly("1@101", "3@103", "2@104", "4@105");
        }
        assertThat(
                        database.number(
                                "SELECT epoch FROM outbox_set_lane WHERE lane = (CRC32('a') & 63)"))
                .isEqualTo(8);
    }

    @Test
    void aRefusedEventHoldsItsAggregateUp(MariaDb database, Sluice sluice) throws Exception {
        String topic = topic(sluice, Map.of("max.message.bytes", "20000"));
        String large = "x".repeat(30_000);
        append(database, "bad", "first", large, "behind");
        append(database, "good", "1");
        var meters = new SimpleMeterRegistry();
        try (SetRelay _ = SetRelay.start(database, settings(sluice, topic), meters)) {
            assertThat(byKey(read(sluice, topic, 2)))
                    .containsEntry("bad", List.of("first"))
                    .containsEntry("good", List.of("1"));
            await(() -> database.number("SELECT count(*) FROM outbox_set_parked") == 1);
            await(() -> meters.get("outbox.keys.parked").gauge().value() == 1);
            await(() -> database.number("SELECT max(attempts) FROM outbox_set_parked") > 2);
            assertThat(meters.get("outbox.events.parked").functionCounter().count()).isEqualTo(1);
            assertThat(meters.get("outbox.lanes").gauge().value()).isEqualTo(64);
            allow(sluice, topic);
            assertThat(byKey(read(sluice, topic, 4)).get("bad"))
                    .containsExactly("first", large, "behind");
            await(() -> database.number("SELECT count(*) FROM outbox_set_parked") == 0);
            await(() -> meters.get("outbox.keys.parked").gauge().value() == 0);
            await(() -> meters.get("outbox.events").functionCounter().count() == 4);
            assertThat(meters.get("outbox.latency").timer().count()).isEqualTo(4);
            await(() -> meters.get("outbox.oldest.seconds").gauge().value() == 0);
            assertThat(meters.get("outbox.statements").functionCounter().count())
                    .isGreaterThan(meters.get("outbox.polls").functionCounter().count());
        }
        assertThat(meters.getMeters()).isEmpty();
    }

    /// Its session goes on renewing the seat by itself, and nobody would take lanes of which nobody publishes anything.
    @Test
    void aRelayWhosePublishingHasEndedGivesItsLanesUp(MariaDb database, Sluice sluice)
            throws Exception {
        RelaySettings settings = settings(sluice, topic(sluice, Map.of()));
        ConnectionSource failing =
                () -> {
                    if (Thread.currentThread().getName().equals("outbox-publishing")) {
                        throw new OutOfMemoryError("not a byte");
                    }
                    return database.open();
                };
        try (SetRelay dead = SetRelay.start(failing, settings);
                SetRelay other = SetRelay.start(database, settings)) {
            await(() -> other.lanes().size() == 64);
            assertThat(dead.health().up()).isFalse();
            assertThat(dead.health().reasons().toString()).contains("not a byte");
        }
    }

    /// What the database does says nothing about memory: one time that it is short, after an outage, ends no relay.
    @Test
    void shortMemoryAfterAnOutageOfTheDatabaseIsSurvived(MariaDb database, Sluice sluice)
            throws Exception {
        String topic = topic(sluice, Map.of());
        append(database, "a", "1");
        AtomicInteger times = new AtomicInteger();
        ConnectionSource failing =
                () -> {
                    if (Thread.currentThread().getName().equals("outbox-publishing")) {
                        int time = times.incrementAndGet();
                        if (time <= 4) {
                            throw new SQLException("an outage");
                        }
                        if (time == 5) {
                            throw new OutOfMemoryError("not a byte");
                        }
                    }
                    return database.open();
                };
        try (SetRelay relay = SetRelay.start(failing, settings(sluice, topic))) {
            await(() -> relay.published() == 1);
            assertThat(relay.health().up()).isTrue();
        }
    }

    @Test
    void aPageEndsWhenItIsLarge(MariaDb database) throws Exception {
        append(database, "a", "x".repeat(600), "x".repeat(600), "x", "x");
        SetTables tables =
                new SetTables(
                        OutboxTable.TRANSFER_EVENTS,
                        new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(1)));
        List<Integer> lanes = IntStream.range(0, 64).boxed().toList();
        try (Connection connection = database.open()) {
            assertThat(tables.read(connection, lanes, 100, 1_000)).hasSize(2);
            assertThat(tables.read(connection, lanes, 100, 1_200)).hasSize(3);
            assertThat(tables.read(connection, lanes, 3, 10_000)).hasSize(3);
        }
    }

    /// A lease is a time in the table; sessions that read it differently would bury each other.
    @Test
    void sessionsMayHaveDifferentTimeZones(MariaDb database, Sluice sluice) throws Exception {
        Duration lease = Duration.ofSeconds(10);
        RelaySettings settings = settings(sluice, topic(sluice, Map.of())).withLease(lease);
        ConnectionSource inSeoul =
                () -> {
                    Connection connection = database.open();
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("SET time_zone = '+09:00'");
                    }
                    return connection;
                };
        try (SetRelay _ = SetRelay.start(database, settings);
                SetRelay _ = SetRelay.start(inSeoul, settings)) {
            await(() -> database.number("SELECT count(*) FROM outbox_set_member") == 2);
            long numbers = database.number("SELECT sum(number) FROM outbox_set_member");
            Thread.sleep(lease.dividedBy(2)); // Each has looked after the dead by then.
            assertThat(database.number("SELECT sum(number) FROM outbox_set_member"))
                    .as("nobody was buried")
                    .isEqualTo(numbers);
        }
    }

    /// The seat is still ours, and so are the lanes: nobody else would ever take them.
    @Test
    void aRelayThatLostItsConnectionGoesOnWithItsLanes(MariaDb database, Sluice sluice)
            throws Exception {
        String topic = topic(sluice, Map.of());
        AtomicReference<Connection> publishing = new AtomicReference<>();
        ConnectionSource watched =
                () -> {
                    Connection connection = database.open();
                    if (Thread.currentThread().getName().equals("outbox-publishing")) {
                        publishing.set(connection);
                    }
                    return connection;
                };
        append(database, "a", "1");
        try (SetRelay _ = SetRelay.start(watched, settings(sluice, topic))) {
            assertThat(read(sluice, topic, 1)).hasSize(1);
            publishing.get().abort(Runnable::run);
            append(database, "a", "2");
            assertThat(byKey(read(sluice, topic, 2))).containsEntry("a", List.of("1", "2"));
        }
    }

    @Test
    void aRelayThatIsFrozenInTheMiddleOfATransactionKeepsNoLane(MariaDb database, Sluice sluice)
            throws Exception {
        String topic = topic(sluice, Map.of());
        append(database, "a", "1");
        // It looks what it has, claims its lanes, looks what is parked, and saves what it is about
        // to send.
        FreezableConnections connections = FreezableConnections.atCommit(database, 4);
        try (SetRelay _ = SetRelay.start(connections, settings(sluice, topic))) {
            await(connections::isFrozen);
            try (SetRelay other = SetRelay.start(database, settings(sluice, topic))) {
                await(() -> other.lanes().size() == 64);
                append(database, "a", "2");
                assertThat(byKey(read(sluice, topic, 2))).containsEntry("a", List.of("1", "2"));
            } finally {
                connections.thaw();
            }
        }
    }

    private static RelaySettings settings(Sluice sluice, String topic) {
        return RelaySettings.of(topic, Map.of("bootstrap.servers", sluice.bootstrap()))
                .withIdleWait(Duration.ofMillis(20))
                .withLease(Duration.ofSeconds(2))
                .withParking(new Backoff(Duration.ofMillis(50), Duration.ofMillis(200)));
    }

    private static void write(MariaDb database, Random random) {
        try (Connection connection = database.open();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            Outbox outbox = Outbox.in(OutboxTable.TRANSFER_EVENTS);
            for (int i = 0; i < 100; i++) {
                String account = "account-" + random.nextInt(ACCOUNTS);
                statement.execute(
                        "UPDATE account SET version = version + 1 WHERE id = '%s'"
                                .formatted(account));
                try (ResultSet row =
                        statement.executeQuery(
                                "SELECT version FROM account WHERE id = '%s'".formatted(account))) {
                    row.next();
                    outbox.append(connection, OutboxEvent.of(account, "t", row.getString(1)));
                }
                if (i % 10 == 0) {
                    Thread.sleep(random.nextInt(20));
                }
                if (random.nextInt(8) == 0) {
                    connection.rollback();
                    i--;
                } else {
                    connection.commit();
                }
            }
        } catch (SQLException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aPooledSessionIsGivenBackAsItWas(MariaDb database) throws Exception {
        try (Connection session = database.open();
                Statement statement = session.createStatement()) {
            statement.execute("SET SESSION idle_transaction_timeout = 77");
            try (BoundedSession bounded =
                    BoundedSession.open(new PooledSession(session), Duration.ofSeconds(3))) {
                assertThat(idleBound(bounded.connection())).isEqualTo(3);
                bounded.connection().setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                bounded.connection().setAutoCommit(false);
            }
            assertThat(idleBound(session)).isEqualTo(77);
            assertThat(session.getAutoCommit()).isTrue();
            assertThat(session.getTransactionIsolation())
                    .isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
        }
    }

    /// A pool's exception, or a driver's; the connection would be kept for ever.
    @Test
    void aConnectionThatCannotBeBoundIsGivenBack(MariaDb database) throws Exception {
        try (Connection session = database.open()) {
            ConnectionSource failing =
                    () ->
                            (Connection)
                                    Proxy.newProxyInstance(
                                            SetRelayTest.class.getClassLoader(),
                                            new Class<?>[] {Connection.class},
                                            (_, method, arguments) -> {
                                                if (method.getName().equals("createStatement")) {
                                                    throw new IllegalStateException("not now");
                                                }
                                                return method.invoke(session, arguments);
                                            });
            assertThatThrownBy(() -> BoundedSession.open(failing, Duration.ofSeconds(3)))
                    .hasMessage("not now");
            assertThat(session.isClosed()).isTrue();
        }
    }

    private static long idleBound(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT @@SESSION.idle_transaction_timeout")) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void append(MariaDb database, String key, String... payloads)
            throws SQLException {
        try (Connection connection = database.open()) {
            connection.setAutoCommit(false);
            Outbox.in(OutboxTable.TRANSFER_EVENTS)
                    .append(
                            connection,
                            List.of(payloads).stream()
                                    .map(payload -> OutboxEvent.of(key, "t", payload))
                                    .toList());
            connection.commit();
        }
    }

    private static String topic(Sluice sluice, Map<String, String> settings) throws Exception {
        String topic = "set-" + TOPICS.incrementAndGet();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", sluice.bootstrap()))) {
            admin.createTopics(
                            List.of(
                                    new NewTopic(topic, Optional.of(1), Optional.empty())
                                            .configs(settings)))
                    .all()
                    .get();
        }
        return topic;
    }

    private static void allow(Sluice sluice, String topic) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", sluice.bootstrap()))) {
            var change =
                    new AlterConfigOp(
                            new ConfigEntry("max.message.bytes", "100000"),
                            AlterConfigOp.OpType.SET);
            admin.incrementalAlterConfigs(
                            Map.of(
                                    new ConfigResource(ConfigResource.Type.TOPIC, topic),
                                    List.of(change)))
                    .all()
                    .get();
        }
    }

    private static List<ConsumerRecord<String, String>> read(
            Sluice sluice, String topic, int count) {
        DuplicateFilter filter = new DuplicateFilter();
        try (var consumer =
                new KafkaConsumer<>(
                        Map.of(
                                "bootstrap.servers",
                                sluice.bootstrap(),
                                "auto.offset.reset",
                                "earliest"),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            consumer.assign(List.of(new TopicPartition(topic, 0)));
            List<ConsumerRecord<String, String>> records = new ArrayList<>();
            while (records.size() < count) {
                for (var record : consumer.poll(Duration.ofMillis(100))) {
                    if (filter.isNew(record)) {
                        records.add(record);
                    }
                }
            }
            return records;
        }
    }

    private static Map<String, List<String>> byKey(List<ConsumerRecord<String, String>> records) {
        Map<String, List<String>> byKey = new HashMap<>();
        records.forEach(
                record ->
                        byKey.computeIfAbsent(record.key(), _ -> new ArrayList<>())
                                .add(record.value()));
        return byKey;
    }

    private static String header(ConsumerRecord<?, ?> record) {
        return new String(
                record.headers().lastHeader("outbox-sequence").value(), StandardCharsets.UTF_8);
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(20);
        }
    }
}
