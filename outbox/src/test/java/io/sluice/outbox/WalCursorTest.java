package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.outbox.wal.Slot;
import io.sluice.outbox.wal.WalCursor;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// How far a stream is, when it brings a backlog without marks.
@ExtendWith(Database.Extension.class)
@Timeout(120)
class WalCursorTest {
    private static final int MANY = 10_100;

    /// All but one of them are published; another one is open; and others write that have no events.
    @Test
    void aBacklogWithoutMarksIsFoldedIntoTheSnapshot(Database database) throws Exception {
        database.run("CREATE TABLE audit (n int)");
        String before = snapshot(database);
        WalCursor cursor = WalCursor.at("transfer_events", new Slot.Beginning(before, 1));
        try (Connection connection = database.open();
                Connection slow = database.open()) {
            slow.setAutoCommit(false);
            Outbox.in(OutboxTable.TRANSFER_EVENTS).append(slow, OutboxEvent.of("slow", "t", "1"));
            String open = xid(slow);
            database.run(
                    "DO $$ BEGIN FOR i IN 1..%d LOOP INSERT INTO transfer_events (aggregate_id, payload) VALUES ('a' || i, i); COMMIT; INSERT INTO audit VALUES (i); COMMIT; END LOOP; END $$"
                            .formatted(MANY));
            List<String> written = database.column("SELECT tx FROM transfer_events ORDER BY ord");
            String left = written.get(MANY / 2);
            for (String tx : written) {
                if (!tx.equals(left)) {
                    cursor.published(Long.parseLong(tx));
                    cursor.ended(Long.parseLong(tx));
                }
            }
            assertThat(cursor.isLong()).isTrue();

            cursor.fold(connection, OutboxTable.TRANSFER_EVENTS);

            assertThat(cursor.isLong()).isFalse();
            assertThat(cursor.hasMoved()).as("nothing beside the snapshot").isFalse();
            // Others that run beside this test may have transactions open as well.
            assertThat(open(database, cursor)).contains(open, left).hasSizeLessThan(200);

            cursor.marked(before);
            assertThat(cursor.covers(last(written))).as("an old mark knows less").isTrue();

            slow.commit();
            for (String tx : List.of(left, open)) {
                assertThat(cursor.covers(Long.parseLong(tx))).isFalse();
                cursor.published(Long.parseLong(tx));
                cursor.ended(Long.parseLong(tx));
            }
            String after = snapshot(database);
            cursor.marked(after);
            assertThat(cursor.seen()).isEqualTo(after);
            assertThat(cursor.asSnapshot(connection, OutboxTable.TRANSFER_EVENTS)).isEqualTo(after);
        }
    }

    /// It reads what was written since the last mark, however much that is.
    @Test
    void aFoldingMayTakeLongerThanOtherStatements(Database database) throws Exception {
        WalCursor cursor =
                WalCursor.at("transfer_events", new Slot.Beginning(snapshot(database), 1));
        database.append(OutboxEvent.of("a", "t", "1"));
        long tx = database.number("SELECT tx::text FROM transfer_events");
        cursor.published(tx);
        cursor.ended(2);
        try (Connection connection = database.open()) {
            CompletableFuture<Boolean> answer = new CompletableFuture<>();
            try (HeldTable held = HeldTable.of(database)) {
                connection.setNetworkTimeout(Runnable::run, 200);
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        cursor.fold(connection, OutboxTable.TRANSFER_EVENTS);
                                        answer.complete(true);
                                    } catch (Throwable e) {
                                        answer.completeExceptionally(e);
                                    }
                                });
                held.awaitWaiting(answer, "1 second");
            }
            assertThat(answer.get()).isTrue();
            assertThat(cursor.covers(tx)).isTrue();
        }
    }

    private static List<String> open(Database database, WalCursor cursor) {
        return database.column("SELECT pg_snapshot_xip('%s')".formatted(cursor.seen()));
    }

    private static long last(List<String> numbers) {
        return Long.parseLong(numbers.getLast());
    }

    private static String snapshot(Database database) {
        return database.column("SELECT pg_current_snapshot()").getFirst();
    }

    private static String xid(Connection connection) throws Exception {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery("SELECT pg_current_xact_id()")) {
            row.next();
            return row.getString(1);
        }
    }
}
