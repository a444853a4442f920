package io.sluice.outbox.set;

import io.sluice.outbox.ConnectionSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/// A connection whose session MariaDB ends when it stands still in the middle of a transaction: a relay that is frozen there would keep its lanes
/// locked, and whoever wants to take them would wait. MySQL cannot do that.
///
/// It may come from a pool, where close() ends no session: it is given back as it was found.
///
/// Used by one thread.
final class BoundedSession implements AutoCloseable {
    private static final int UNKNOWN_VARIABLE = 1193;
    private static final long NO_BOUND_KNOWN = -1;

    private final Connection connection;
    private final long secondsBefore;
    private final int isolationBefore;
    private final boolean autoCommitBefore;

    private BoundedSession(Connection connection, long secondsBefore) throws SQLException {
        this.connection = connection;
        this.secondsBefore = secondsBefore;
        this.isolationBefore = connection.getTransactionIsolation();
        this.autoCommitBefore = connection.getAutoCommit();
    }

    static BoundedSession open(ConnectionSource database, Duration longest) throws SQLException {
        Connection connection = database.open();
        try {
            return new BoundedSession(connection, bound(connection, longest));
        } catch (SQLException | RuntimeException | Error e) {
            // A pool's exception, or short memory: it must not keep the connection for ever.
            try (connection) {
                throw e;
            }
        }
    }

    /// @return how many seconds it was before
    private static long bound(Connection connection, Duration longest) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            long before;
            try (ResultSet row =
                    statement.executeQuery("SELECT @@SESSION.idle_transaction_timeout")) {
                row.next();
                before = row.getLong(1);
            }
            set(connection, Math.max(1, longest.toSeconds()));
            return before;
        } catch (SQLException e) {
            if (e.getErrorCode() != UNKNOWN_VARIABLE) {
                throw e;
            }
            return NO_BOUND_KNOWN;
        }
    }

    private static void set(Connection connection, long seconds) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION idle_transaction_timeout = " + seconds);
        }
    }

    Connection connection() {
        return connection;
    }

    private void giveBack() throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback(); // To turn auto-commit on would commit it.
        }
        connection.setAutoCommit(autoCommitBefore);
        connection.setTransactionIsolation(isolationBefore);
        if (secondsBefore != NO_BOUND_KNOWN) {
            set(connection, secondsBefore);
        }
    }

    @Override
    public void close() throws SQLException {
        try (connection) {
            if (!connection.isClosed()) {
                giveBack();
            }
        }
    }
}
