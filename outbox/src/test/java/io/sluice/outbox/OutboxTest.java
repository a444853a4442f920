package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.outbox.operating.Migration;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Database.Extension.class)
class OutboxTest {
    private final Outbox outbox = Outbox.in(OutboxTable.TRANSFER_EVENTS);

    @Test
    void withoutATransactionNothingIsWritten(Database database) throws SQLException {
        try (Connection connection = database.open()) {
            assertThatThrownBy(() -> outbox.append(connection, OutboxEvent.of("a", "t", "p")))
                    .hasMessageContaining("setAutoCommit(false)");
        }
        assertThat(database.number("SELECT count(*) FROM transfer_events")).isZero();
    }

    @Test
    void writersThatShareNoRowCanBeMadeToWaitForEachOther(Database database) throws Exception {
        Outbox locking = outbox.lockingAggregates();
        try (Connection first = database.open();
                Connection second = database.open()) {
            first.setAutoCommit(false);
            second.setAutoCommit(false);
            locking.append(first, OutboxEvent.of("a", "t", "1"));
            locking.append(second, OutboxEvent.of("b", "t", "does not wait"));
            Thread waiting =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            locking.append(second, OutboxEvent.of("a", "t", "2"));
                                            second.commit();
                                        } catch (SQLException e) {
                                            throw new IllegalStateException(e);
                                        }
                                    });
            while (database.number(
                            "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'")
                    == 0) {
                Thread.onSpinWait();
            }
            first.commit();
            waiting.join();
        }
        assertThat(
                        database.column(
                                "SELECT payload FROM transfer_events WHERE aggregate_id = 'a' ORDER BY ord"))
                .containsExactly("1", "2");
    }

    /// The age of an event is not how long its transaction took before it.
    @Test
    void createdIsWhenItWasInserted(Database database) throws SQLException {
        try (Connection connection = database.open();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT pg_sleep(0.2)");
            outbox.append(connection, OutboxEvent.of("a", "t", "p"));
            try (var row =
                    statement.executeQuery(
                            "SELECT created_at > now() + interval '0.1 s' FROM transfer_events")) {
                row.next();
                assertThat(row.getBoolean(1)).isTrue();
            }
        }
    }

    @Test
    void theScriptsCanBeRunAgain(Database database) throws SQLException {
        database.append(OutboxEvent.of("a", "t", "p"));
        try (Connection connection = database.open()) {
            OutboxSchema.install(connection, OutboxTable.TRANSFER_EVENTS);
        }
        assertThat(database.number("SELECT count(*) FROM transfer_events")).isEqualTo(1);
        assertThat(database.number("SELECT count(*) FROM outbox_lane")).isEqualTo(64);
    }

    /// As `app.outbox.schema=install` does whenever a service starts.
    @Test
    void theScriptsLeaveCompatModeAsItIs(Database database) throws Exception {
        new Migration(database, OutboxTable.TRANSFER_EVENTS).toCompat(Duration.ofSeconds(10));
        database.install();
        database.append(OutboxEvent.of("a", "t", "p"));
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload, status) VALUES ('a', 'q', 'PENDING')");
        assertThat(database.column("SELECT status FROM transfer_events"))
                .containsExactly("PENDING", "PENDING");
    }

    /// `psql -f`, while writers write: each statement commits by itself.
    @Test
    @DisplayName(
            "O5: whatever is written between two statements of the scripts has one mode that publishes it")
    void theScriptsCanBeRunStatementByStatement(Database database) throws SQLException {
        documentsTable(database);
        try (Connection connection = database.open();
                Statement statement = connection.createStatement()) {
            for (String script : OutboxSchema.SCRIPTS) {
                String text = OutboxSchema.script(script, OutboxTable.TRANSFER_EVENTS);
                for (String sql : OutboxSchema.statements(text)) {
                    statement.execute(sql);
                    database.run(
                            """
                            INSERT INTO transfer_events (aggregate_id, payload) VALUES ('default', '{}');
                            INSERT INTO transfer_events (aggregate_id, payload, status) VALUES ('explicit', '{}', 'PENDING')
                            """);
                }
            }
        }
        String lanes =
                "SELECT count(*) FROM transfer_events e JOIN outbox_lane l ON l.lane = outbox_lane_of(e.aggregate_id) WHERE ";
        String byLog = "(ord IS NOT NULL AND NOT pg_visible_in_snapshot(tx, seen))";
        String byCompat = "(status = 'PENDING')";
        assertThat(database.number(lanes + byLog)).isPositive();
        assertThat(database.number(lanes + byCompat)).isPositive();
        assertThat(database.number(lanes + byLog + " = " + byCompat))
                .as("published by nobody, or by both")
                .isZero();
    }

    /// A lock that waits behind a long transaction has all writers wait behind it.
    @Test
    void whatIsInstalledIsLeftAloneWithoutALock(Database database) throws SQLException {
        try (Connection writer = database.open();
                Connection connection = database.open();
                Statement statement = connection.createStatement()) {
            writer.setAutoCommit(false);
            outbox.append(writer, OutboxEvent.of("a", "t", "p"));
            statement.execute("SET lock_timeout = '200ms'");
            OutboxSchema.install(connection, OutboxTable.TRANSFER_EVENTS);
            writer.commit();
        }
    }

    @Test
    @DisplayName("O5: indices of a large table are built beforehand, while writers write")
    void aLargeTableIsPrepared(Database database) throws SQLException {
        documentsTable(database);
        String insert = "INSERT INTO transfer_events (aggregate_id, payload) VALUES ('a', '{}')";
        database.run(insert);
        try (Connection connection = database.open()) {
            OutboxSchema.prepare(connection, OutboxTable.TRANSFER_EVENTS);
            database.run(insert);
            assertThat(database.column("SELECT status || coalesce(ord, 0) FROM transfer_events"))
                    .as("compat mode's, as before")
                    .containsExactly("PENDING0", "PENDING0");
            List<String> built = indices(database);
            assertThat(built).hasSize(3);
            OutboxSchema.prepare(connection, OutboxTable.TRANSFER_EVENTS);
            OutboxSchema.install(connection, OutboxTable.TRANSFER_EVENTS);
            assertThat(indices(database)).isEqualTo(built);
        }
    }

    /// What is left of a build that failed has the name, and finds nothing.
    @Test
    void anIndexThatWasNotFinishedIsBuiltAgain(Database database) throws SQLException {
        database.run(
                "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'transfer_events_lane'::regclass");
        try (Connection connection = database.open()) {
            assertThatThrownBy(() -> OutboxSchema.install(connection, OutboxTable.TRANSFER_EVENTS))
                    .hasMessageContaining("transfer_events_lane is not valid");
            OutboxSchema.prepare(connection, OutboxTable.TRANSFER_EVENTS);
            OutboxSchema.install(connection, OutboxTable.TRANSFER_EVENTS);
        }
        assertThat(
                        database.number(
                                "SELECT count(*) FROM pg_index WHERE indrelid = 'transfer_events'::regclass AND NOT indisvalid"))
                .isZero();
    }

    @Test
    @DisplayName(
            "O1: a table that the document's relay has used is kept as it is, without being rewritten")
    void theDocumentsTableGetsTheColumnsOfLogMode(Database database) throws SQLException {
        database.run(
                """
                DROP TABLE transfer_events;
                CREATE TABLE transfer_events (event_id bigserial PRIMARY KEY, aggregate_id varchar(64) NOT NULL,
                  payload jsonb NOT NULL, headers jsonb, status varchar(20) NOT NULL DEFAULT 'PENDING',
                  next_retry_at timestamp NOT NULL DEFAULT now(), updated_at timestamp NOT NULL DEFAULT now());
                INSERT INTO transfer_events (aggregate_id, payload, status) VALUES ('old', '{}', 'PUBLISHED')
                """);
        List<String> file = database.column("SELECT pg_relation_filenode('transfer_events')");
        try (Connection connection = database.open()) {
            OutboxSchema.install(connection, OutboxTable.TRANSFER_EVENTS);
        }
        assertThat(database.column("SELECT pg_relation_filenode('transfer_events')"))
                .isEqualTo(file);
        database.run("INSERT INTO transfer_events (aggregate_id, payload) VALUES ('new', '{}')");
        assertThat(database.column("SELECT aggregate_id FROM transfer_events WHERE ord IS NULL"))
                .containsExactly("old");
    }

    private static List<String> indices(Database database) {
        return database.column(
                "SELECT indexrelid FROM pg_index WHERE indrelid = 'transfer_events'::regclass AND indisvalid ORDER BY 1");
    }

    /// And nothing of ours.
    private static void documentsTable(Database database) {
        database.run(
                """
                DROP TABLE transfer_events, outbox_lane, outbox_member, outbox_parked, outbox_source, outbox_partition;
                DROP SEQUENCE transfer_events_ord;
                CREATE TABLE transfer_events (event_id bigserial PRIMARY KEY, aggregate_id varchar(64) NOT NULL,
                  payload jsonb NOT NULL, headers jsonb, status varchar(20) NOT NULL DEFAULT 'PENDING',
                  next_retry_at timestamp NOT NULL DEFAULT now(), updated_at timestamp NOT NULL DEFAULT now())
                """);
    }

    @Test
    void namesThatCouldCarrySqlAreRefused() {
        assertThatThrownBy(() -> OutboxTable.named("events; DROP TABLE x"))
                .hasMessageContaining("cannot name a table");
    }
}
