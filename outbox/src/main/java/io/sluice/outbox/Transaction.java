package io.sluice.outbox;

import java.sql.Connection;
import java.sql.SQLException;

/// Several statements as one transaction, on a connection that is otherwise in auto-commit mode.
final class Transaction {
    /// What is done in it.
    interface Work<T> {
        T run() throws SQLException;
    }

    private Transaction() {}

    static <T> T in(Connection connection, Work<T> work) throws SQLException {
        connection.setAutoCommit(false);
        try {
            T result = work.run();
            connection.commit();
            return result;
        } catch (SQLException | RuntimeException e) {
            connection.rollback();
            throw e;
        } finally {
            if (!connection.isClosed()) {
                connection.setAutoCommit(true);
            }
        }
    }
}
