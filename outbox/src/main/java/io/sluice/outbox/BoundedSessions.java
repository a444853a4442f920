package io.sluice.outbox;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Sessions that the database ends by itself when their relay stands still: in the middle of a transaction, or without taking what it asked for; and
/// that their relay ends when the database does not answer.
///
/// A relay that is frozen there, or whose host is lost, would otherwise hold the locks of its lanes for as long as its connection is thought to
/// live, which may be for ever: others would see that it is dead and could not take the lanes.
///
/// Nothing is compiled in them. To read is cheap and planned as if it were not, since a plan must not go through the whole table while that is small: where the database has a
/// compiler (LLVM, as in Debian's packages), it would take most of a second for every statement.
///
/// A connection may come from a pool, where close() ends no session: it is left as it was found, or the pool's other users would be bounded, too,
/// and the locks of a relay that is gone would stay.
///
/// Immutable.
///
/// @param longest how long it may stand still
/// @param evenIdle whether sessions end, too, that ask for nothing for so long. For relays whose sessions' locks are all that tells of their life,
///     on PostgreSQL 14 or newer
/// @param answer how long the database may take for an answer. Behind a host that is lost none ever comes, and nothing says so. Zero: as long as it
///     likes
public record BoundedSessions(
        ConnectionSource database, Duration longest, boolean evenIdle, Duration answer)
        implements ConnectionSource {
    /// With what they were before. An older database has fewer of them. The last four are for those to set who use the session; they need not give
    /// them back themselves.
    private static final String BOUND =
            """
            SELECT name, setting, CASE
                WHEN name = 'jit' THEN set_config(name, 'off', false)
                WHEN name NOT IN ('lock_timeout', 'statement_timeout', 'enable_seqscan', 'plan_cache_mode') THEN set_config(name, ?, false)
              END
            FROM pg_settings
            WHERE name IN ('jit', 'idle_in_transaction_session_timeout', 'tcp_user_timeout', 'lock_timeout', 'statement_timeout', 'enable_seqscan', 'plan_cache_mode')
              OR (name = 'idle_session_timeout' AND ?)
            """;

    @Override
    public Connection open() throws SQLException {
        Connection connection = database.open();
        try {
            int answerBefore = awaitAnswers(connection, (int) answer.toMillis());
            Map<String, String> before = bound(connection);
            return (Connection)
                    Proxy.newProxyInstance(
                            BoundedSessions.class.getClassLoader(),
                            new Class<?>[] {Connection.class},
                            (proxy, method, arguments) -> {
                                if (method.getName().equals("close")) {
                                    close(connection, before, answerBefore);
                                    return null;
                                }
                                return call(connection, method, arguments);
                            });
        } catch (SQLException | RuntimeException | Error e) {
            // A pool's exception, or short memory: it must not keep the connection for ever.
            try (connection) {
                throw e;
            }
        }
    }

    /// For statements that have much to read. A host that is lost never answers, and while its connection asks for nothing more nobody is told: so there is an end.
    public static final Duration UNHURRIED = Duration.ofMinutes(15);

    /// What may take long.
    public interface Unhurried<T> {
        T run() throws SQLException;
    }

    /// For a statement that has much to read.
    public static <T> T unhurried(Connection connection, Unhurried<T> work) throws SQLException {
        return within(connection, UNHURRIED, work);
    }

    /// For a statement that may take so long; zero is as long as it likes.
    public static <T> T within(Connection connection, Duration answer, Unhurried<T> work)
            throws SQLException {
        int before = awaitAnswers(connection, (int) answer.toMillis());
        try {
            return work.run();
        } finally {
            if (!connection.isClosed()) {
                awaitAnswers(connection, before);
            }
        }
    }

    /// @return for how long before, in milliseconds
    private static int awaitAnswers(Connection connection, int millis) throws SQLException {
        try {
            int before = connection.getNetworkTimeout();
            if (before != millis) {
                connection.setNetworkTimeout(Runnable::run, millis);
            }
            return before;
        } catch (SQLFeatureNotSupportedException e) {
            return 0; // A pool's connection need not be able to.
        }
    }

    private static @Nullable Object call(
            Connection connection, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private Map<String, String> bound(Connection connection) throws SQLException {
        Map<String, String> before = new HashMap<>();
        try (PreparedStatement set = connection.prepareStatement(BOUND)) {
            set.setString(1, Long.toString(Math.min(longest.toMillis(), Integer.MAX_VALUE)));
            set.setBoolean(2, evenIdle);
            try (ResultSet row = set.executeQuery()) {
                while (row.next()) {
                    before.put(row.getString(1), row.getString(2));
                }
            }
        }
        keep(connection);
        return before;
    }

    private static void close(Connection connection, Map<String, String> before, int answer)
            throws SQLException {
        try (connection) {
            if (!connection.isClosed()) {
                giveBack(connection, before);
                awaitAnswers(connection, answer);
            }
        }
    }

    private static void giveBack(Connection connection, Map<String, String> before)
            throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("UNLISTEN *");
            statement.execute("SELECT pg_advisory_unlock_all()");
        }
        try (PreparedStatement set =
                connection.prepareStatement("SELECT set_config(?, ?, false)")) {
            for (Map.Entry<String, String> setting : before.entrySet()) {
                set.setString(1, setting.getKey());
                set.setString(2, setting.getValue());
                set.execute();
            }
        }
        keep(connection);
    }

    /// What is set in a transaction is gone if that is rolled back.
    private static void keep(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }
}
