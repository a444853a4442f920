package io.sluice.listener.once;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.regex.Pattern;

/// The table that says what has been done.
///
/// | column | |
/// | --- | --- |
/// | `id` | the key; primary key |
/// | `done_at` | for [#forgetBefore] |
///
/// Two that note the same key at the same time: the second waits at the row of the first, and then finds it there, or notes it itself.
///
/// Immutable. The connection, and its transaction, are the caller's.
public final class OnceTable {
    private static final Pattern NAME =
            Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?");

    /// SQLState class of a violated constraint.
    private static final String VIOLATED = "23";

    private final String insert;
    private final String delete;
    private final String create;

    public OnceTable(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "A table's name consists of letters, digits and underscores, perhaps with a schema in front; not "
                            + name);
        }
        this.insert = "INSERT INTO " + name + " (id, done_at) VALUES (?, ?)";
        this.delete = "DELETE FROM " + name + " WHERE done_at < ?";
        this.create =
                "CREATE TABLE IF NOT EXISTS "
                        + name
                        + " (id VARCHAR(500) PRIMARY KEY, done_at TIMESTAMP WITH TIME ZONE NOT NULL)";
    }

    /// Makes the table, if there is none.
    public void create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(create);
        }
    }

    /// Notes that it is being done in this transaction.
    ///
    /// @return false when it has been done already; the transaction is of no use then, roll it back
    public boolean note(Connection connection, String key) throws SQLException {
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

    /// Forgets what was done before. Go back further than a message can possibly come again.
    ///
    /// @return how many were forgotten
    public int forgetBefore(Connection connection, Instant time) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(delete)) {
            statement.setTimestamp(1, Timestamp.from(time));
            return statement.executeUpdate();
        }
    }
}
