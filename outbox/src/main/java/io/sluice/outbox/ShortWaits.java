package io.sluice.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/// A session whose statements wait for a lock for so long at most, and fail otherwise: whoever comes behind them waits as well, and a statement that
/// waits keeps vacuum from removing anything.
///
/// Not `SET LOCAL`: a partition cannot be detached concurrently inside of a transaction. The session may be one of a pool, so what was set before is
/// given back, whether or not a statement fails.
///
/// Used by one thread, on a connection in auto-commit mode.
public record ShortWaits(Connection connection, String before) implements AutoCloseable {
    public static ShortWaits of(Connection connection, Duration longest) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW lock_timeout")) {
            row.next();
            ShortWaits waits = new ShortWaits(connection, row.getString(1));
            waits.set(longest.toMillis() + "ms");
            return waits;
        }
    }

    public void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void set(String longest) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT set_config('lock_timeout', ?, false)")) {
            statement.setString(1, longest);
            statement.execute();
        }
    }

    @Override
    public void close() throws SQLException {
        set(before);
    }
}
