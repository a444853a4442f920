package io.sluice.listener.once;

import io.sluice.listener.lane.Job;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import javax.sql.DataSource;

/// Remembers in a table what has been done. The row and the effect are one transaction, so a crash at any moment leaves both or neither.
///
/// Two deliveries of a message at the same time: the second waits at the row of the first, and then finds it there, or does the work itself.
///
/// Thread-safe: a connection per call.
public final class JdbcOnceStore implements OnceStore<Connection> {
    private final DataSource dataSource;
    private final OnceTable table;

    /// @param table its name, perhaps with a schema; what it has to look like says [OnceTable]
    public JdbcOnceStore(DataSource dataSource, String table) {
        this.dataSource = dataSource;
        this.table = new OnceTable(table);
    }

    /// Makes the table, if there is none.
    public void createTable() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(true);
            table.create(connection);
        }
    }

    /// Forgets what was done before. Go back further than a message can possibly come again.
    ///
    /// @return how many were forgotten
    public int forgetBefore(Instant time) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(true);
            return table.forgetBefore(connection, time);
        }
    }

    @Override
    public boolean once(String key, Job job, Effect<Connection> effect) throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            boolean committed = false;
            try {
                if (!table.note(connection, key)) {
                    return false;
                }
                effect.on(job, connection);
                // The lease may be lost by now, and the work begun elsewhere: that one waits at our
                // row. But nobody wants this result.
                job.requireWanted();
                connection.commit();
                committed = true;
                return true;
            } finally {
                if (!committed) {
                    connection.rollback();
                }
            }
        }
    }
}
