package io.sluice.outbox.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.Database;
import io.sluice.outbox.OutboxTable;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// The document's relay, still running beside ours.
@ExtendWith(Database.Extension.class)
@Timeout(60)
class StrangersTest {
    private static final OutboxTable TABLE = OutboxTable.TRANSFER_EVENTS;
    private static final Duration LEASE = Duration.ofSeconds(40);

    private final Strangers strangers = new Strangers(TABLE, LEASE, Duration.ZERO);

    @Test
    @DisplayName("O5: a relay of the document's that claims beside ours is named, once")
    void whatIsClaimedInTheDocumentsWayIsNamed(Database database) throws Exception {
        try (Connection connection = database.open();
                Statement statement = connection.createStatement()) {
            insert(statement, 3);
            strangers.begin(connection);
            assertThat(strangers.look(connection)).isEmpty();
            statement.execute(
                    "UPDATE transfer_events SET status = 'SENDING', updated_at = now() WHERE event_id IN (2, 3)");
            Optional<String> seen = strangers.look(connection);
            while (seen.isEmpty()) { // Not sooner than the last look allows.
                Thread.sleep(20);
                seen = strangers.look(connection);
            }
            assertThat(seen.orElseThrow())
                    .contains("2 events (the first is 2) of table transfer_events are SENDING")
                    .contains("stop it")
                    .contains("within 40 s");
            assertThat(strangers.look(connection)).isEmpty();
        }
    }

    /// It may have been stopped since, as it should be.
    @Test
    void whatWasClaimedBeforeTellsNothing(Database database) throws Exception {
        try (Connection connection = database.open();
                Statement statement = connection.createStatement()) {
            insert(statement, 1);
            statement.execute("UPDATE transfer_events SET status = 'SENDING', updated_at = now()");
            strangers.begin(connection);
            assertThat(strangers.look(connection)).isEmpty();
        }
    }

    @Test
    void ourOwnClaimsAreNone(Database database) throws Exception {
        try (Connection connection = database.open();
                Statement statement = connection.createStatement()) {
            insert(statement, 3);
            strangers.begin(connection);
            Claims claims = new Claims(TABLE, LEASE, Duration.ofSeconds(30));
            claims.connected(connection);
            assertThat(claims.claim(connection, 1, List.of(0), List.of(), 10).events()).hasSize(3);
            assertThat(strangers.look(connection)).isEmpty();
        }
    }

    private static void insert(Statement statement, int events) throws Exception {
        statement.execute("SELECT outbox_new_rows('transfer_events', 'PENDING')");
        statement.execute(
                "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'a', '1' FROM generate_series(1, %d)"
                        .formatted(events));
    }
}
