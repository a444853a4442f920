package io.sluice.outbox.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.outbox.Database;
import io.sluice.outbox.Outbox;
import io.sluice.outbox.OutboxEvent;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.compat.Claims.Batch;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Claims that take long.
@ExtendWith(Database.Extension.class)
@Timeout(60)
class ClaimsTest {
    private static final Duration LEASE = Duration.ofSeconds(2);

    /// A table without an index that serves it, with so many rows that nobody could have guessed how long it takes.
    @Test
    void aClaimThatTakesTooLongIsRolledBackAndGetsMoreTime(Database database) throws Exception {
        Claims claims = new Claims(OutboxTable.TRANSFER_EVENTS, LEASE, Duration.ofSeconds(1));
        try (Connection connection = database.open();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT outbox_new_rows('transfer_events', 'PENDING')");
            connection.setAutoCommit(false);
            Outbox.in(OutboxTable.TRANSFER_EVENTS)
                    .append(connection, OutboxEvent.of("a", "t", "1"));
            connection.commit();
            connection.setAutoCommit(true);
            statement.execute(
                    """
                    CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(2.5); RETURN NEW; END $$;
                    CREATE TRIGGER slow BEFORE UPDATE ON transfer_events FOR EACH STATEMENT EXECUTE FUNCTION slow()
                    """);
            claims.connected(connection);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> claims.claim(connection, 1, List.of(0), List.of(), 10))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("statement timeout");
                assertThat(status(statement)).isEqualTo("PENDING");
            }
            Batch batch = claims.claim(connection, 1, List.of(0), List.of(), 10);
            assertThat(batch.events()).hasSize(1);
            claims.published(connection, batch, List.of(batch.events().getFirst().id()));
            assertThat(status(statement)).isEqualTo("PUBLISHED");
        }
    }

    /// Otherwise others would claim the same again while its events are on their way.
    @Test
    void theLeaseBeginsWhenTheEventsAreFound(Database database) throws Exception {
        Claims claims = new Claims(OutboxTable.TRANSFER_EVENTS, LEASE, Duration.ofSeconds(30));
        try (Connection connection = database.open();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT outbox_new_rows('transfer_events', 'PENDING')");
            connection.setAutoCommit(false);
            Outbox.in(OutboxTable.TRANSFER_EVENTS)
                    .append(connection, OutboxEvent.of("a", "t", "1"));
            Outbox.in(OutboxTable.TRANSFER_EVENTS)
                    .append(connection, OutboxEvent.of("b", "t", "1"));
            connection.commit();
            connection.setAutoCommit(true);
            statement.execute(
                    """
                    CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(2.5); RETURN NEW; END $$;
                    CREATE TRIGGER slow BEFORE UPDATE ON transfer_events FOR EACH STATEMENT EXECUTE FUNCTION slow()
                    """);
            claims.connected(connection);
            assertThat(claims.claim(connection, 1, List.of(0), List.of(), 10).events()).hasSize(2);
            try (ResultSet row =
                    statement.executeQuery(
                            "SELECT count(DISTINCT next_retry_at), min(next_retry_at) > clock_timestamp() FROM transfer_events")) {
                row.next();
                assertThat(row.getInt(1)).as("one mark for all").isEqualTo(1);
                assertThat(row.getBoolean(2)).isTrue();
            }
        }
    }

    private static String status(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT status FROM transfer_events")) {
            row.next();
            return row.getString(1);
        }
    }
}
