package io.sluice.outbox.operating;

import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.membership.Members;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/// Gives the events that are not published, and those that will be written, from one mode to the other.
///
/// One transaction under the table's lock, so every row has exactly one mode that publishes it: whoever wrote before has ended, whoever comes
/// finds the new default. Which side has got them is written nowhere but in that default, `outbox_new_rows` in `V2__log_mode.sql`.
///
/// Immutable; used on a connection in auto-commit mode.
final class HandOver {
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    /// No lane has begun anything here, so what it has not seen is not published. By the index on (lane, tx): writers wait.
    private static final String UNSEEN_TO_COMPAT =
            """
            UPDATE {table} e SET status = 'PENDING' FROM outbox_lane l
            WHERE l.outbox = '{table}' AND outbox_lane_of(e.{key}::text) = l.lane AND e.tx >= pg_snapshot_xmin(l.seen)
              AND NOT pg_visible_in_snapshot(e.tx, l.seen) AND e.status = 'LOG' AND e.ord IS NOT NULL
            """;

    private static final String PARKED_TO_COMPAT =
            """
            UPDATE {table} e SET status = 'PENDING' FROM outbox_parked p
            WHERE p.outbox = '{table}' AND e.{id} = p.event_id::{type} AND e.ord = p.ord
            """;

    private final OutboxTable table;

    HandOver(OutboxTable table) {
        this.table = table;
    }

    /// Whether new rows are compat mode's.
    boolean isToCompat(Connection connection) throws SQLException {
        return ask(
                        connection,
                        """
                        SELECT count(*) FROM pg_attribute a JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
                        WHERE a.attrelid = '{table}'::regclass AND a.attname = 'status' AND pg_get_expr(d.adbin, d.adrelid) LIKE '''PENDING''%'
                        """)
                .equals("1");
    }

    /// What the lanes have not published, when all are at rest.
    void toCompat(Connection connection) throws SQLException {
        locked(
                connection,
                statement -> {
                    takeLanes(connection, statement);
                    statement.execute(sql("SELECT outbox_new_rows('{table}', 'PENDING')"));
                    statement.execute(sql(UNSEEN_TO_COMPAT));
                    unpark(connection, statement);
                });
    }

    /// From now on. What compat mode has not published it publishes still, and log mode waits for that, see `Readiness`.
    void toLog(Connection connection) throws SQLException {
        locked(
                connection,
                statement -> {
                    // Written by somebody who named log mode's status himself; below, it becomes
                    // seen.
                    statement.execute(sql(UNSEEN_TO_COMPAT));
                    statement.execute(sql("SELECT outbox_new_rows('{table}', 'LOG')"));
                    statement.execute(
                            sql(
                                    "UPDATE outbox_lane SET seen = pg_current_snapshot(), bound = NULL, position = 0 WHERE outbox = '{table}'"));
                    statement.execute(
                            sql("UPDATE outbox_source SET mode = 'log' WHERE outbox = '{table}'"));
                    Members.tellMembers(connection);
                });
    }

    /// Also from a relay that has lost its seat and does not know it yet: it can save nothing more, and so begin nothing. Unless it has begun since the lanes were seen
    /// to be at rest.
    private void takeLanes(Connection connection, Statement statement) throws SQLException {
        statement.execute(
                sql(
                        "UPDATE outbox_lane SET owner = NULL, epoch = epoch + 1 WHERE outbox = '{table}'"));
        String begun =
                ask(
                        connection,
                        "SELECT count(*) FROM outbox_lane WHERE outbox = '{table}' AND bound IS NOT NULL");
        if (!begun.equals("0")) {
            throw new IllegalStateException(
                    "a relay publishes again in %s lanes of table %s; try again when it has ended"
                            .formatted(begun, table.name()));
        }
    }

    /// A parked event may be all that is left of it: its row was deleted, or dropped with its partition.
    private void unpark(Connection connection, Statement statement) throws SQLException {
        String type =
                ask(
                        connection,
                        "SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attname = '{id}'");
        int found = statement.executeUpdate(sql(PARKED_TO_COMPAT).replace("{type}", type));
        int parked =
                statement.executeUpdate(sql("DELETE FROM outbox_parked WHERE outbox = '{table}'"));
        if (found < parked) {
            throw new IllegalStateException(
                    "%d of %d parked events are no longer in table %s, where compat mode would look for them; publish, skip or dead-letter them first (`outbox parked`)"
                            .formatted(parked - found, parked, table.name()));
        }
    }

    /// What is done under the lock.
    private interface Work {
        void run(Statement statement) throws SQLException;
    }

    private void locked(Connection connection, Work work) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            // Every statement has to see what was committed before the lock was had.
            statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
            statement.execute("SET LOCAL lock_timeout = '5s'");
            lock(statement);
            work.run(statement);
            connection.commit();
        } finally {
            if (!connection.isClosed()) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
    }

    private void lock(Statement statement) throws SQLException {
        try {
            statement.execute(sql("LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"));
        } catch (SQLException e) {
            if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                throw e;
            }
            throw new IllegalStateException(
                    "table %s was not free within 5 s: a transaction that has used it stays open (pg_stat_activity tells which). Try again when it has ended"
                            .formatted(table.name()),
                    e);
        }
    }

    private String ask(Connection connection, String template) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql(template));
                ResultSet row = query.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }

    private String sql(String template) {
        return template.replace("{table}", table.name())
                .replace("{id}", table.id())
                .replace("{key}", table.key());
    }
}
