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
        } catch (Throwable e) {
            // Also an error of the machine: to turn auto-commit on again would commit what is done
            // of it.
            rollBack(connection, e);
            throw e;
        } finally {
            if (!connection.isClosed()) {
                connection.setAutoCommit(true);
            }
        }
    }

    private static void rollBack(Connection connection, Throwable why) throws SQLException {
        try {
            connection.rollback();
        } catch (SQLException | RuntimeException e) {
            why.addSuppressed(e);
            connection.close();
        }
    }
}
