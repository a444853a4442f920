package io.sluice.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Database.Extension.class)
class BoundedSessionsTest {
    private static final String BOUNDS =
            "SELECT setting FROM pg_settings WHERE name IN ('idle_in_transaction_session_timeout', 'tcp_user_timeout', 'idle_session_timeout') ORDER BY name";
    private static final String LEFT =
            "SELECT mode FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() UNION ALL SELECT pg_listening_channels()";

    @Test
    void aPooledSessionIsGivenBackAsItWas(Database database) throws SQLException {
        try (Connection session = database.open()) {
            run(session, "SET idle_in_transaction_session_timeout = '1min'");
            run(session, "SET lock_timeout = '7min'");
            session.setNetworkTimeout(Runnable::run, 70_000);
            List<String> before = column(session, BOUNDS);
            try (Connection connection = bounded(session).open()) {
                assertThat(column(connection, BOUNDS)).containsOnly("3000");
                assertThat(connection.getNetworkTimeout()).isEqualTo(20_000);
                run(connection, "SET lock_timeout = '2s'");
                run(connection, "LISTEN news");
                run(connection, "SELECT pg_advisory_lock(1, 2)");
                assertThat(column(connection, LEFT)).hasSize(2);
            }
            assertThat(column(session, BOUNDS)).isEqualTo(before);
            assertThat(column(session, "SHOW lock_timeout")).containsExactly("7min");
            assertThat(column(session, LEFT)).isEmpty();
            assertThat(session.getNetworkTimeout()).isEqualTo(70_000);
        }
    }

    /// A database with LLVM would compile each statement for most of a second.
    @Test
    void nothingIsCompiledInIt(Database database) throws SQLException {
        try (Connection session = database.open()) {
            run(session, "SET jit = on");
            try (Connection connection = bounded(session).open()) {
                assertThat(column(connection, "SHOW jit")).containsExactly("off");
            }
            assertThat(column(session, "SHOW jit")).containsExactly("on");
        }
    }

    /// What its user needs for itself.
    @Test
    void soIsHowItPlansAndWaitsForLocks(Database database) throws SQLException {
        String settings =
                "SELECT setting FROM pg_settings WHERE name IN ('lock_timeout', 'enable_seqscan', 'plan_cache_mode') ORDER BY name";
        try (Connection session = database.open()) {
            run(session, "SET lock_timeout = '1min'");
            List<String> before = column(session, settings);
            try (Connection connection = bounded(session).open()) {
                assertThat(column(connection, settings)).isEqualTo(before);
                run(connection, "SET lock_timeout = '2s'");
                run(connection, "SET enable_seqscan = off");
                run(connection, "SET plan_cache_mode = force_generic_plan");
            }
            assertThat(column(session, settings)).isEqualTo(before);
        }
    }

    @Test
    void soIsOneWithAFailedTransaction(Database database) throws SQLException {
        try (Connection session = database.open()) {
            List<String> before = column(session, BOUNDS);
            session.setAutoCommit(false);
            try (Connection connection = bounded(session).open()) {
                assertThatThrownBy(() -> run(connection, "SELECT 1 / 0"))
                        .isInstanceOf(SQLException.class);
                connection.rollback();
                assertThat(column(connection, BOUNDS)).containsOnly("3000");
                assertThatThrownBy(() -> run(connection, "SELECT 1 / 0"))
                        .isInstanceOf(SQLException.class);
            }
            session.rollback();
            assertThat(column(session, BOUNDS)).isEqualTo(before);
        }
    }

    private static BoundedSessions bounded(Connection session) {
        return new BoundedSessions(
                new PooledSession(session), Duration.ofSeconds(3), true, Duration.ofSeconds(20));
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<String> column(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<String> column = new ArrayList<>();
            while (row.next()) {
                column.add(row.getString(1));
            }
            return column;
        }
    }
}
