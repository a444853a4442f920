package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/// A transaction of an aggregate of its own that has written its first event, and stays open across a change of the mode.
///
/// Used by one thread.
final class OpenTransaction {
    static final int EVENTS = 2;

    private final Database database;
    private final String aggregate;
    private final Connection connection;

    private OpenTransaction(Database database, String aggregate, Connection connection) {
        this.database = database;
        this.aggregate = aggregate;
        this.connection = connection;
    }

    static OpenTransaction begin(Database database, String aggregate) throws SQLException {
        Connection connection = database.open();
        connection.setAutoCommit(false);
        OpenTransaction begun = new OpenTransaction(database, aggregate, connection);
        begun.write(1);
        return begun;
    }

    /// A change that needs the table for itself.
    interface Change {
        void run() throws Exception;
    }

    /// Writes again and commits when the change is seen to wait for this transaction.
    void whileItWaits(Change change) throws Exception {
        FutureTask<Boolean> changing =
                new FutureTask<>(
                        (Callable<Boolean>)
                                () -> {
                                    change.run();
                                    return true;
                                });
        Thread.ofPlatform().start(changing);
        String waiting =
                "SELECT count(*) FROM pg_locks WHERE relation = 'transfer_events'::regclass AND mode = 'AccessExclusiveLock' AND NOT granted";
        while (database.number(waiting) == 0) {
            assertThat(changing.isDone()).as("it has waited for nobody").isFalse();
            Thread.sleep(5);
        }
        writeAndCommit();
        assertThat(changing.get()).isTrue();
    }

    void writeAndCommit() throws SQLException {
        write(EVENTS);
        connection.commit();
        connection.close();
    }

    private void write(int version) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "INSERT INTO transfer_events (aggregate_id, payload) VALUES ('%s', '%d')"
                            .formatted(aggregate, version));
        }
    }
}
