package io.sluice.listener.once;

import io.sluice.listener.lane.Job;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/// Remembers in a table what has been done. The row and the effect are one transaction, so a crash at any moment leaves both or neither.
///
/// Two deliveries of a message at the same time: the second waits at the row of the first, and then finds it there, or does the work itself.
///
/// | column | |
/// | --- | --- |
/// | `id` | the key; primary key |
/// | `done_at` | for [#forgetBefore] |
///
/// Thread-safe: a connection per call.
public final class JdbcOnceStore implements OnceStore<Connection> {
    private static final Pattern NAME =
            Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?");

    /// SQLState class of a violated constraint.
    private static final String VIOLATED = "23";

    private final DataSource dataSource;
    private final String insert;
    private final String delete;
    private final String create;

    public JdbcOnceStore(DataSource dataSource, String table) {
        if (!NAME.matcher(table).matches()) {
            throw new IllegalArgumentException(
                    "A table's name consists of letters, digits and underscores, perhaps with a schema in front; not "
                            + table);
        }
        this.dataSource = dataSource;
        this.insert = "INSERT INTO " + table + " (id, done_at) VALUES (?, ?)";
        this.delete = "DELETE FROM " + table + " WHERE done_at < ?";
        this.create =
                "CREATE TABLE IF NOT EXISTS "
                        + table
                        + " (id VARCHAR(500) PRIMARY KEY, done_at TIMESTAMP WITH TIME ZONE NOT NULL)";
    }

    /// Makes the table, if there is none.
    public void createTable() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(create);
        }
    }

    /// Forgets what was done before. Go back further than a message can possibly come again.
    ///
    /// @return how many were forgotten
    public int forgetBefore(Instant time) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(delete)) {
            connection.setAutoCommit(true);
            statement.setTimestamp(1, Timestamp.from(time));
            return statement.executeUpdate();
        }
    }

    @Override
    public boolean once(String key, Job job, Effect<Connection> effect) throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            boolean committed = false;
            try {
                if (!note(connection, key)) {
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

    private boolean note(Connection connection, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            statement.setString(1, key);
            statement.setTimestamp(2, Timestamp.from(Instant.now()));
            statement.executeUpdate();
            return true;
        } catch (SQLException e) {
            if (e.getSQLState() != null && e.getSQLState().startsWith(VIOLATED)) {
                return false;
            }
            throw e;
        }
    }
}
