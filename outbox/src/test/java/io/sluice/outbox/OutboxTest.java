package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
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

    @Test
    void namesThatCouldCarrySqlAreRefused() {
        assertThatThrownBy(() -> OutboxTable.named("events; DROP TABLE x"))
                .hasMessageContaining("cannot name a table");
    }
}
