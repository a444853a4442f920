package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// From COMMIT to topic: real PostgreSQL, real broker.
@ExtendWith({Database.Extension.class, Broker.Extension.class})
@Timeout(120)
class RelayTest {
    @Test
    @DisplayName(
            "O1: an event is published with its key, value and headers if its transaction commits")
    void committedEventsArePublished(Database database, Broker broker) {
        String topic = broker.topic();
        long before =
                database.number(
                        "SELECT sequence FROM outbox_lane WHERE lane = outbox_lane_of('account-1')");
        try (Relay relay = relay(database, broker, topic);
                TopicReader reader = new TopicReader(broker, topic)) {
            database.append(
                    OutboxEvent.of("account-1", "Withdrawn", "{\"amount\": 10}")
                            .with(OutboxEvent.TRACEPARENT, "00-abc-def-01"));
            ConsumerRecord<String, String> record = reader.await(1).records().getFirst();

            assertThat(record.key()).isEqualTo("account-1");
            assertThat(record.value()).isEqualTo("{\"amount\": 10}");
            assertThat(TopicReader.header(record, "type")).isEqualTo("Withdrawn");
            assertThat(TopicReader.header(record, "traceparent")).isEqualTo("00-abc-def-01");
            assertThat(TopicReader.header(record, "outbox-event-id")).isEqualTo("1");
            assertThat(TopicReader.header(record, "outbox-sequence"))
                    .isEqualTo(Long.toString(before + 1));
            assertThat(relay.status().lanes()).hasSize(64);
        }
    }

    @Test
    void whatIsRolledBackIsNotPublished(Database database, Broker broker) throws SQLException {
        String topic = broker.topic();
        try (Relay _ = relay(database, broker, topic);
                TopicReader reader = new TopicReader(broker, topic);
                Connection connection = transaction(database)) {
            append(connection, "a", "never");
            connection.rollback();
            append(connection, "a", "1");
            var savepoint = connection.setSavepoint();
            append(connection, "a", "never");
            connection.rollback(savepoint);
            append(connection, "a", "2");
            connection.commit();

            assertThat(reader.await(2).byKey().get("a")).containsExactly("1", "2");
        }
    }

    /// Transaction numbers are those of the whole cluster: whoever waits for all lower ones to end waits for strangers too.
    @Test
    void aTransactionInAnotherDatabaseHoldsNobodyUp(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic();
        database.run("CREATE DATABASE elsewhere");
        Database elsewhere = new Database(database.url().replace("/postgres?", "/elsewhere?"));
        try (Connection stranger = elsewhere.open();
                Statement statement = stranger.createStatement();
                Relay _ = Relay.start(database, RelaySettings.of(topic, broker.client()));
                TopicReader reader = new TopicReader(broker, topic)) {
            stranger.setAutoCommit(false);
            statement.execute("CREATE TABLE public.work (done int)");
            database.append(OutboxEvent.of("a", "t", "1"));
            reader.await(1);
            database.append(OutboxEvent.of("a", "t", "2"));
            reader.await(2);
            stranger.rollback();
        } finally {
            database.run("DROP DATABASE elsewhere WITH (FORCE)");
        }
    }

    /// The id of the late one is lower than those already published: a reader of "id above the last" would lose it.
    @Test
    void aTransactionThatCommitsLateIsNotMissed(Database database, Broker broker)
            throws SQLException {
        String topic = broker.topic();
        try (Relay _ = relay(database, broker, topic);
                TopicReader reader = new TopicReader(broker, topic);
                Connection slow = transaction(database)) {
            append(slow, "slow", "early id");
            for (int i = 0; i < 20; i++) {
                database.append(OutboxEvent.of("fast-" + i, "t", "x"));
            }
            reader.await(20); // Nobody waits for the open transaction.
            slow.commit();
            reader.await(21);

            assertThat(reader.byKey().get("slow")).containsExactly("early id");
        }
    }

    /// T2 has the lower transaction id but waits for T1: the order of transaction ids is not the order of the aggregate's events.
    @Test
    void whoWroteSomethingBeforeTheLockKeepsTheOrderOfTheLock(Database database, Broker broker)
            throws Exception {
        String topic = broker.topic();
        database.run("CREATE TABLE account (id text PRIMARY KEY, version int NOT NULL)");
        database.run("INSERT INTO account VALUES ('a', 0)");
        try (Connection second = transaction(database);
                Connection first = transaction(database)) {
            run(second, "INSERT INTO account VALUES ('other', 0)"); // takes its transaction id
            run(first, "UPDATE account SET version = 1 WHERE id = 'a'");
            Thread waiter =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        run(
                                                second,
                                                "UPDATE account SET version = 2 WHERE id = 'a'");
                                        append(second, "a", "2");
                                        commit(second);
                                    });
            append(first, "a", "1");
            first.commit();
            waiter.join();
        }
        // Both in one page: it is the reader that has to know their order.
        try (Relay _ = relay(database, broker, topic);
                TopicReader reader = new TopicReader(broker, topic)) {
            assertThat(reader.await(2).byKey().get("a")).containsExactly("1", "2");
        }
    }

    @Test
    void eventsOfOneStatementKeepTheirOrder(Database database, Broker broker) {
        String topic = broker.topic();
        try (Relay _ = relay(database, broker, topic);
                TopicReader reader = new TopicReader(broker, topic)) {
            database.run(
                    "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'a' || i % 7, i FROM generate_series(1, 3000) i");
            reader.await(3000);

            for (int key = 0; key < 7; key++) {
                int first = key == 0 ? 7 : key;
                List<String> expected =
                        IntStream.rangeClosed(1, 3000)
                                .filter(i -> i % 7 == first % 7)
                                .mapToObj(Integer::toString)
                                .toList();
                assertThat(reader.byKey().get("a" + key)).isEqualTo(expected);
            }
            assertThat(reader.repeated()).isZero();
        }
    }

    /// Log mode writes nothing into the event table: nothing for vacuum to do, however many events pass.
    @Test
    void theEventTableIsNeverWritten(Database database, Broker broker) {
        String topic = broker.topic();
        try (Relay _ = relay(database, broker, topic);
                TopicReader reader = new TopicReader(broker, topic)) {
            for (int i = 0; i < 50; i++) {
                database.append(OutboxEvent.of("a" + i, "t", "x"));
            }
            reader.await(50);
        }
        database.run("ANALYZE transfer_events");
        assertThat(
                        database.column(
                                "SELECT n_tup_upd + n_tup_del + n_dead_tup FROM pg_stat_user_tables WHERE relid = 'transfer_events'::regclass"))
                .containsExactly("0");
        assertThat(database.number("SELECT count(*) FROM transfer_events WHERE xmax::text <> '0'"))
                .isZero();
    }

    @Test
    void aBacklogLargerThanAPageIsPublishedPageByPage(Database database, Broker broker) {
        String topic = broker.topic();
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'a' || i % 50, i FROM generate_series(1, 5000) i");
        RelaySettings small = RelaySettings.of(topic, broker.client()).withPage(300, 1 << 20);
        try (Relay relay = Relay.start(database, small);
                TopicReader reader = new TopicReader(broker, topic)) {
            reader.await(5000);
            assertThat(reader.repeated()).isZero();
            assertThat(relay.status().polls()).isGreaterThanOrEqualTo(17);
            assertInOrder(reader);
        }
    }

    /// Nothing is repeated after an orderly stop: the lanes were given away with all their progress.
    @Test
    void aRelayThatIsClosedRepeatsNothing(Database database, Broker broker) {
        String topic = broker.topic();
        try (TopicReader reader = new TopicReader(broker, topic)) {
            for (int round = 1; round <= 3; round++) {
                try (Relay _ = relay(database, broker, topic)) {
                    database.append(OutboxEvent.of("a", "t", "" + round));
                    reader.await(round);
                }
            }
            reader.linger(Duration.ofMillis(200));
            assertThat(reader.byKey().get("a")).containsExactly("1", "2", "3");
            assertThat(reader.repeated()).isZero();
        }
        assertThat(database.number("SELECT count(*) FROM outbox_member")).isZero();
        assertThat(database.number("SELECT count(*) FROM outbox_lane WHERE owner IS NOT NULL"))
                .isZero();
    }

    static void assertInOrder(TopicReader reader) {
        reader.byKey()
                .forEach(
                        (key, values) -> {
                            List<Integer> numbers =
                                    new ArrayList<>(values.stream().map(Integer::valueOf).toList());
                            assertThat(numbers).as(key).isSorted().doesNotHaveDuplicates();
                        });
    }

    private static Relay relay(Database database, Broker broker, String topic) {
        return Relay.start(database, RelaySettings.of(topic, broker.client()));
    }

    private static Connection transaction(Database database) throws SQLException {
        Connection connection = database.open();
        connection.setAutoCommit(false);
        return connection;
    }

    private static void append(Connection connection, String key, String payload) {
        try {
            Outbox.in(OutboxTable.TRANSFER_EVENTS)
                    .append(connection, OutboxEvent.of(key, "t", payload));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void run(Connection connection, String sql) {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void commit(Connection connection) {
        try {
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
