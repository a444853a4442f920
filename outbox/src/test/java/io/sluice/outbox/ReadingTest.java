package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.LaneCursor;
import io.sluice.outbox.reading.EventReader;
import io.sluice.outbox.reading.Stretch;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Database.Extension.class)
class ReadingTest {
    private static final int OLD_EVENTS = 2_000;
    private static final Stretch PAGE = Stretch.next(100, 1 << 20);

    /// Nobody has analysed the table since it was empty, and the plan is as old.
    @Test
    void whatIsPublishedIsNotReadAgainInANewTable(Database database) throws SQLException {
        EventReader reader = new EventReader(OutboxTable.TRANSFER_EVENTS);
        database.run("ALTER TABLE transfer_events SET (autovacuum_enabled = off)");
        try (Connection connection = database.open();
                Connection slow = database.open()) {
            reader.connected(connection);
            for (int i = 0; i < 10; i++) { // Until the driver and the database keep it.
                reader.read(connection, 1, lane(connection), PAGE);
            }
            write(database, OLD_EVENTS);
            slow.setAutoCommit(false);
            Outbox.in(OutboxTable.TRANSFER_EVENTS).append(slow, OutboxEvent.of("a", "t", "slow"));
            List<Lane> seen = lane(connection);
            assertThat(seen.getFirst().cursor().seen()).as("knows of an open one").matches(".*:.+");
            database.append(OutboxEvent.of("a", "t", "new"));
            slow.commit();

            connection.setAutoCommit(false);
            assertThat(reader.read(connection, 1, seen, PAGE).page().events()).hasSize(2);
            assertThat(rowsOfTheIndex(connection)).isBetween(2L, 10L);
        }
    }

    /// To count them would be to find them once more: the numbers that were given tell that it cannot be many.
    @Test
    void aFewPagesAreNotCounted(Database database) throws SQLException {
        EventReader reader = new EventReader(OutboxTable.TRANSFER_EVENTS);
        try (Connection connection = database.open()) {
            reader.connected(connection);
            List<Lane> lane = lane(connection);
            write(database, 500);
            connection.setAutoCommit(false);
            EventReader.Reading reading = reader.read(connection, 1, lane, PAGE);
            assertThat(reading.page().events()).hasSize(100);
            assertThat(reading.large()).isFalse();
            assertThat(rowsOfTheIndex(connection)).isBetween(500L, 510L);
        }
    }

    @Test
    void manyPagesArePutAside(Database database) throws SQLException {
        EventReader reader = new EventReader(OutboxTable.TRANSFER_EVENTS);
        try (Connection connection = database.open()) {
            reader.connected(connection);
            List<Lane> lane = lane(connection);
            write(database, 1_000);
            assertThat(reader.read(connection, 1, lane, PAGE).large()).isTrue();
        }
    }

    private static void write(Database database, int events) throws SQLException {
        database.run(
                "INSERT INTO transfer_events (aggregate_id, payload) SELECT 'a', 'x' FROM generate_series(1, "
                        + events
                        + ")");
    }

    /// Before the first page comes, all that is due is sorted: a bound on answers that is right for everything else would end it every time.
    @Test
    void aReadingMayTakeLongerThanOtherStatements(Database database) throws Exception {
        EventReader reader = new EventReader(OutboxTable.TRANSFER_EVENTS);
        try (Connection connection = database.open()) {
            reader.connected(connection);
            List<Lane> lane = lane(connection);
            database.append(OutboxEvent.of("a", "t", "1"));
            CompletableFuture<EventReader.Reading> answer = new CompletableFuture<>();
            try (HeldTable held = HeldTable.of(database)) {
                connection.setNetworkTimeout(Runnable::run, 200);
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        answer.complete(reader.read(connection, 1, lane, PAGE));
                                    } catch (Throwable e) {
                                        answer.completeExceptionally(e);
                                    }
                                });
                held.awaitWaiting(answer, "1 second");
            }
            assertThat(answer.get().page().events()).hasSize(1);
            assertThat(connection.getNetworkTimeout()).isEqualTo(200);
        }
    }

    /// The lane of aggregate `a`, all of which has been seen but for what is open.
    private static List<Lane> lane(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT outbox_lane_of('a'), pg_current_snapshot()")) {
            row.next();
            return List.of(
                    new Lane(row.getInt(1), 1, new LaneCursor(row.getString(2), null, 0, 0)));
        }
    }

    /// Rows that this transaction was given by the index.
    private static long rowsOfTheIndex(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT pg_stat_get_xact_tuples_returned('transfer_events_lane'::regclass)")) {
            row.next();
            return row.getLong(1);
        }
    }
}
