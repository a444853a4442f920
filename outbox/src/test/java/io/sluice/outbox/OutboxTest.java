package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
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

    @Test
    void theScriptsCanBeRunAgain(Database database) throws SQLException {
        database.append(OutboxEvent.of("a", "t", "p"));
        try (Connection connection = database.open()) {
            OutboxSchema.install(connection, OutboxTable.TRANSFER_EVENTS);
        }
        assertThat(database.number("SELECT count(*) FROM transfer_events")).isEqualTo(1);
        assertThat(database.number("SELECT count(*) FROM outbox_lane")).isEqualTo(64);
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

    /// As `psql` runs them, while somebody writes: there must be no row that is neither compat mode's nor new to the lanes.
    @Test
    @DisplayName("O5: the scripts lose nothing when each statement is a transaction of its own")
    void theScriptsCanBeRunStatementByStatement(Database database) throws SQLException {
        documentsTable(database);
        for (String script : OutboxSchema.SCRIPTS) {
            for (String statement : statements(script)) {
                database.run(statement);
                database.run(
                        "INSERT INTO transfer_events (aggregate_id, payload) VALUES ('a', '{}')");
            }
        }
        assertThat(
                        database.number(
                                "SELECT count(*) FROM transfer_events e, outbox_lane l WHERE l.lane = outbox_lane_of(e.aggregate_id::text) AND e.status = 'LOG' AND pg_visible_in_snapshot(e.tx, l.seen)"))
                .as("rows that nobody would publish")
                .isZero();
        assertThat(database.column("SELECT DISTINCT status FROM transfer_events ORDER BY 1"))
                .containsExactly("LOG", "PENDING");
    }

    @Test
    void theIndexCanBeBuiltBeforehand(Database database) throws SQLException {
        documentsTable(database);
        for (String statement : statements("prepare.sql")) {
            database.run(statement);
        }
        List<String> index = database.column("SELECT 'transfer_events_lane'::regclass::oid");
        database.install();
        assertThat(database.column("SELECT 'transfer_events_lane'::regclass::oid"))
                .isEqualTo(index);
    }

    /// Nothing to do means that no writer waits: whoever writes for long would otherwise make all others wait as well.
    @Test
    void runningTheScriptsAgainWaitsForNoWriter(Database database) throws SQLException {
        try (Connection writer = database.open();
                Connection installing = database.open()) {
            writer.setAutoCommit(false);
            outbox.append(writer, OutboxEvent.of("a", "t", "p"));
            try (var statement = installing.createStatement()) {
                statement.execute("SET lock_timeout = '200ms'");
            }
            OutboxSchema.install(installing, OutboxTable.TRANSFER_EVENTS);
            writer.commit();
        }
    }

    private static void documentsTable(Database database) {
        database.run(
                """
                DROP TABLE transfer_events, outbox_lane, outbox_member, outbox_parked, outbox_source, outbox_partition;
                DROP SEQUENCE transfer_events_ord;
                CREATE TABLE transfer_events (event_id bigserial PRIMARY KEY, aggregate_id varchar(64) NOT NULL,
                  payload jsonb NOT NULL, headers jsonb, status varchar(20) NOT NULL DEFAULT 'PENDING',
                  next_retry_at timestamp NOT NULL DEFAULT now(), updated_at timestamp NOT NULL DEFAULT now());
                """);
    }

    private static List<String> statements(String script) {
        List<String> statements = new ArrayList<>();
        StringBuilder statement = new StringBuilder();
        boolean quoted = false;
        for (String line :
                OutboxSchema.script(script, OutboxTable.TRANSFER_EVENTS).split("\n", -1)) {
            statement.append(line).append('\n');
            boolean odd = line.split("\\$\\$", -1).length % 2 == 0;
            quoted ^= odd;
            if (!quoted && line.endsWith(";")) {
                statements.add(statement.toString());
                statement.setLength(0);
            }
        }
        return statements;
    }

    @Test
    void namesThatCouldCarrySqlAreRefused() {
        assertThatThrownBy(() -> OutboxTable.named("events; DROP TABLE x"))
                .hasMessageContaining("cannot name a table");
    }
}
