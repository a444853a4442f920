package io.sluice.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/// Sessions that the database ends by itself when their relay stands still: in the middle of a transaction, or without taking what it asked for.
///
/// A relay that is frozen there, or whose host is lost, would otherwise hold the locks of its lanes for as long as its connection is thought to
/// live, which may be for ever: others would see that it is dead and could not take the lanes.
///
/// Immutable.
///
/// @param longest how long it may stand still
/// @param evenIdle whether sessions end, too, that ask for nothing for so long. For relays whose sessions' locks are all that tells of their life,
///     on PostgreSQL 14 or newer
public record BoundedSessions(ConnectionSource database, Duration longest, boolean evenIdle)
        implements ConnectionSource {
    /// An older database has fewer of them.
    private static final String BOUND =
            """
            SELECT set_config(name, ?, false) FROM pg_settings
            WHERE name IN ('idle_in_transaction_session_timeout', 'tcp_user_timeout') OR (name = 'idle_session_timeout' AND ?)
            """;

    @Override
    public Connection open() throws SQLException {
        Connection connection = database.open();
        try (PreparedStatement set = connection.prepareStatement(BOUND)) {
            set.setString(1, Long.toString(Math.min(longest.toMillis(), Integer.MAX_VALUE)));
            set.setBoolean(2, evenIdle);
            set.execute();
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }
}
