package io.sluice.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;

/// The event table, locked by somebody: whoever asks for it is not answered until it is let go.
///
/// Used by one thread.
record HeldTable(Database database, Connection holder) implements AutoCloseable {
    static HeldTable of(Database database) throws SQLException {
        Connection holder = database.open();
        holder.setAutoCommit(false);
        try (Statement lock = holder.createStatement()) {
            lock.execute("LOCK TABLE transfer_events IN ACCESS EXCLUSIVE MODE");
        }
        return new HeldTable(database, holder);
    }

    /// Until an answer has failed, or somebody has waited for one for so long.
    void awaitWaiting(CompletableFuture<?> answer, String interval) throws InterruptedException {
        String waiting =
                "SELECT count(*) FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid WHERE NOT l.granted AND l.relation = 'transfer_events'::regclass AND clock_timestamp() - a.query_start > interval '%s'"
                        .formatted(interval);
        while (!answer.isDone() && database.number(waiting) == 0) {
            Thread.sleep(20);
        }
    }

    @Override
    public void close() throws SQLException {
        holder.close();
    }
}
