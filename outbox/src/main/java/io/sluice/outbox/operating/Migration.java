package io.sluice.outbox.operating;

import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.lanes.Mode;
import io.sluice.outbox.membership.Members;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Changes where the events of an outbox are read, while writers and relays run: compat ↔ log ↔ wal.
///
/// | from → to | what happens |
/// | --- | --- |
/// | compat → log | new rows belong to log mode from one moment on; relays in log mode begin when compat has published the older ones |
/// | log → compat | relays give their lanes away; then what is not published becomes PENDING, and so does what is written from then on. If that cannot be done, log mode goes on |
/// | log ↔ wal | one word in the database; the relays do the rest |
///
/// Immutable. Every call opens a connection of its own.
public final class Migration {
    private final ConnectionSource database;
    private final OutboxTable table;

    public Migration(ConnectionSource database, OutboxTable table) {
        this.database = database;
        this.table = table;
    }

    public ModeState state() throws SQLException {
        String sql =
                """
                SELECT s.mode, s.wal_lsn IS NOT NULL, s.fallback,
                  (SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), r.restart_lsn)::bigint FROM pg_replication_slots r
                   WHERE r.slot_name = 'outbox_' || (SELECT oid FROM pg_database WHERE datname = current_database()) || '_' || ?::regclass::oid)
                FROM outbox_source s WHERE s.outbox = ?
                """;
        try (Connection connection = database.open();
                PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, table.name());
            query.setString(2, table.name());
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    return new ModeState(table.name(), Mode.LOG, false, null, null);
                }
                long retained = row.getLong(4);
                @Nullable Long known = row.wasNull() ? null : retained;
                return new ModeState(
                        table.name(),
                        Mode.of(row.getString(1)),
                        row.getBoolean(2),
                        row.getString(3),
                        known);
            }
        }
    }

    /// From compat (with the tables of log mode installed) or from wal.
    public void toLog() throws SQLException {
        try (Connection connection = database.open()) {
            if (mode(connection) == Mode.COMPAT) {
                fromCompat(connection);
            } else {
                set(connection, Mode.LOG);
            }
        }
    }

    /// From log. Takes effect when a relay with a replication connection runs.
    public void toWal() throws SQLException {
        try (Connection connection = database.open()) {
            if (mode(connection) == Mode.COMPAT) {
                throw new IllegalStateException(
                        "the outbox is in compat mode: go to log mode first");
            }
            set(connection, Mode.WAL);
        }
    }

    /// From log, within this time: relays have to finish what they are sending.
    public void toCompat(Duration longest) throws SQLException, InterruptedException {
        try (Connection connection = database.open()) {
            if (mode(connection) == Mode.COMPAT && areRowsPending(connection)) {
                return;
            }
            set(connection, Mode.COMPAT);
            try {
                awaitRest(connection, longest);
                becomePending(connection);
            } catch (SQLException | InterruptedException | RuntimeException e) {
                goOnInLogMode(connection, e);
                throw e;
            }
        }
    }

    private void awaitRest(Connection connection, Duration longest)
            throws SQLException, InterruptedException {
        long deadline = System.nanoTime() + longest.toNanos();
        // The lanes of wal mode say nothing about what is published; a relay brings them up to
        // date.
        while (hasPosition(connection) || !areLanesFree(connection)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(
                        "%s within %d s; log mode goes on"
                                .formatted(
                                        hasPosition(connection)
                                                ? "events are read from the database's log, and no relay came to say in the table how far it is (start one, wait until `outbox mode` says log, and try again)"
                                                : "the relays did not come to rest",
                                        longest.toSeconds()));
            }
            Thread.sleep(20);
        }
    }

    /// Nothing has become compat's yet, and nobody would publish anything until somebody noticed.
    private void goOnInLogMode(Connection connection, Exception why) {
        try {
            set(connection, Mode.LOG);
        } catch (SQLException e) {
            why.addSuppressed(e);
        }
    }

    /// Whether new rows are compat's. As long as they are not, the lanes say what is published, whatever mode is wanted: whoever wanted compat may
    /// have died on the way.
    private boolean areRowsPending(Connection connection) throws SQLException {
        String sql =
                """
                SELECT FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
                WHERE d.adrelid = ?::regclass AND a.attname = 'status' AND position('PENDING' IN pg_get_expr(d.adbin, d.adrelid)) > 0
                """;
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, table.name());
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    /// Writers wait for the lock only as long as their like hold it: no table is read or rewritten under it.
    private void fromCompat(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '5s'");
            statement.execute("LOCK TABLE " + table.name() + " IN ACCESS EXCLUSIVE MODE");
            if (areRowsPending(connection)) {
                statement.execute(
                        "ALTER TABLE %s ALTER COLUMN status SET DEFAULT 'LOG'"
                                .formatted(table.name()));
                statement.execute(
                        "DROP TRIGGER IF EXISTS outbox_row_of_log ON %s".formatted(table.name()));
                statement.execute(
                        "CREATE TRIGGER outbox_row_of_log BEFORE INSERT ON %s FOR EACH ROW WHEN (NEW.status = 'PENDING') EXECUTE FUNCTION outbox_row_of_log()"
                                .formatted(table.name()));
                // Whoever wrote before us has ended; whoever comes is not visible yet, whenever it
                // began.
                statement.execute(
                        "UPDATE outbox_lane SET seen = pg_current_snapshot(), bound = NULL, position = 0 WHERE outbox = '%s'"
                                .formatted(table.name()));
            }
            statement.execute(
                    "UPDATE outbox_source SET mode = 'log' WHERE outbox = '%s'"
                            .formatted(table.name()));
            Members.tellMembers(connection);
            connection.commit();
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    private void becomePending(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '5s'");
            statement.execute("LOCK TABLE " + table.name() + " IN ACCESS EXCLUSIVE MODE");
            statement.execute(
                    "ALTER TABLE %s ALTER COLUMN status SET DEFAULT 'PENDING'"
                            .formatted(table.name()));
            statement.execute(
                    "DROP TRIGGER IF EXISTS outbox_row_of_log ON %s".formatted(table.name()));
            statement.execute(
                    """
                    UPDATE {table} e SET status = 'PENDING' FROM outbox_lane l
                    WHERE l.outbox = '{table}' AND l.lane = outbox_lane_of(e.{key}::text) AND e.status = 'LOG' AND e.ord IS NOT NULL
                      AND (NOT pg_visible_in_snapshot(e.tx, l.seen) OR EXISTS (
                        SELECT FROM outbox_parked p WHERE p.outbox = l.outbox AND p.lane = l.lane AND p.aggregate_id = e.{key}::text AND p.ord = e.ord))
                    """
                            .replace("{table}", table.name())
                            .replace("{key}", table.key()));
            statement.execute(
                    "DELETE FROM outbox_parked WHERE outbox = '%s'".formatted(table.name()));
            connection.commit();
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    private boolean hasPosition(Connection connection) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT FROM outbox_source WHERE outbox = ? AND wal_lsn IS NOT NULL")) {
            query.setString(1, table.name());
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    private boolean areLanesFree(Connection connection) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        """
                        SELECT FROM outbox_lane l LEFT JOIN outbox_member m ON m.number = l.owner AND m.until > clock_timestamp()
                        WHERE l.outbox = ? AND (m.number IS NOT NULL OR l.bound IS NOT NULL) LIMIT 1
                        """)) {
            query.setString(1, table.name());
            try (ResultSet row = query.executeQuery()) {
                return !row.next();
            }
        }
    }

    private Mode mode(Connection connection) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT mode FROM outbox_source WHERE outbox = ?")) {
            query.setString(1, table.name());
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? Mode.of(row.getString(1)) : Mode.LOG;
            }
        }
    }

    private void set(Connection connection, Mode mode) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE outbox_source SET mode = ? WHERE outbox = ?")) {
            update.setString(1, mode.word());
            update.setString(2, table.name());
            update.executeUpdate();
        }
        Members.tellMembers(connection);
    }
}
