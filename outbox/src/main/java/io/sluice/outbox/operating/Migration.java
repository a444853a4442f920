package io.sluice.outbox.operating;

import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.lanes.Mode;
import io.sluice.outbox.membership.Members;
import io.sluice.outbox.wal.Slot;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Changes where the events of an outbox are read, while writers and relays run: compat ↔ log ↔ wal.
///
/// | from → to | what happens |
/// | --- | --- |
/// | compat → log | new rows belong to log mode from one moment on; relays in log mode begin when compat has published the older ones |
/// | log → compat | relays give their lanes away; then what is not published becomes PENDING. If that fails, log mode goes on |
/// | log ↔ wal | one word in the database; the relays do the rest |
///
/// Immutable. Every call opens a connection of its own.
public final class Migration {
    private final ConnectionSource database;
    private final OutboxTable table;
    private final HandOver handOver;

    public Migration(ConnectionSource database, OutboxTable table) {
        this.database = database;
        this.table = table;
        this.handOver = new HandOver(table);
    }

    public ModeState state() throws SQLException {
        String sql =
                """
                SELECT s.mode, s.wal_lsn IS NOT NULL, s.fallback,
                  (SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), r.restart_lsn)::bigint FROM pg_replication_slots r
                   WHERE r.slot_name = 'outbox_' || (SELECT oid FROM pg_database WHERE datname = current_database()) || '_' || ?::regclass::oid)
                FROM outbox_source s WHERE s.outbox = ?
                """;
        try (Connection connection = database.open()) {
            if (!isInstalled(connection, table)) {
                return new ModeState(table.name(), Mode.COMPAT, false, false, null, null);
            }
            try (PreparedStatement query = connection.prepareStatement(sql)) {
                query.setString(1, table.name());
                query.setString(2, table.name());
                try (ResultSet row = query.executeQuery()) {
                    return row.next()
                            ? state(connection, row)
                            : new ModeState(table.name(), Mode.LOG, false, false, null, null);
                }
            }
        }
    }

    private ModeState state(Connection connection, ResultSet row) throws SQLException {
        Mode wanted = Mode.of(row.getString(1));
        boolean streaming = row.getBoolean(2);
        @Nullable String noted = row.getString(3);
        long retained = row.getLong(4);
        @Nullable Long known = row.wasNull() ? null : retained;
        return new ModeState(
                table.name(),
                wanted,
                wanted == Mode.COMPAT && !handOver.isToCompat(connection),
                streaming,
                wanted == Mode.WAL && !streaming ? whyTheTable(connection, noted) : noted,
                known);
    }

    /// A slot without bounds may be allowed to the relays, so what they have noted says more than that.
    private @Nullable String whyTheTable(Connection connection, @Nullable String noted)
            throws SQLException {
        Slot slot = Slot.of(connection, table);
        Optional<String> obstacle = slot.obstacle(connection, true);
        if (obstacle.isPresent()) {
            return obstacle.get();
        }
        return noted != null ? noted : slot.obstacle(connection, false).orElse(null);
    }

    /// Why events would not be read where this mode reads them, as far as the database can tell; for people. Relays ask it the same.
    ///
    /// @throws IllegalStateException if nothing can be changed before the scripts are run
    public Optional<String> obstacle(Mode to) throws SQLException {
        if (to == Mode.COMPAT) {
            return Optional.empty();
        }
        try (Connection connection = database.open()) {
            requireInstalled(connection, table);
            return to == Mode.WAL
                    ? Slot.of(connection, table).obstacle(connection, false)
                    : Optional.empty();
        }
    }

    private static void requireInstalled(Connection connection, OutboxTable table)
            throws SQLException {
        if (!isInstalled(connection, table)) {
            throw new IllegalStateException(
                    "table %s is in compat mode, and lacks the tables of log mode beside it: run the scripts of the outbox module first (docs/outbox.md, \"From the document's relay\", step 3)"
                            .formatted(table.name()));
        }
    }

    private static boolean isInstalled(Connection connection, OutboxTable table)
            throws SQLException {
        return Columns.of(connection, table).hasLogMode();
    }

    /// From compat (with the tables of log mode installed) or from wal. Back from a way to compat that was not finished, too.
    public void toLog() throws SQLException {
        try (Turn turn = Turn.take(database, table)) {
            Connection connection = turn.connection();
            if (mode(connection) == Mode.COMPAT && handOver.isToCompat(connection)) {
                handOver.toLog(connection);
            } else {
                set(connection, Mode.LOG);
            }
        }
    }

    /// From log. Takes effect when a relay with a replication connection runs.
    public void toWal() throws SQLException {
        try (Turn turn = Turn.take(database, table)) {
            Connection connection = turn.connection();
            if (mode(connection) == Mode.COMPAT) {
                throw new IllegalStateException(
                        "the outbox is in compat mode: go to log mode first");
            }
            set(connection, Mode.WAL);
        }
    }

    /// From log or wal, within this time: relays have to finish what they are sending. If it fails, the mode is what it was.
    public void toCompat(Duration longest) throws SQLException, InterruptedException {
        try (Turn turn = Turn.take(database, table)) {
            Connection connection = turn.connection();
            Mode before = mode(connection);
            if (before == Mode.COMPAT && handOver.isToCompat(connection)) {
                return;
            }
            // Somebody else may have got so far and died.
            Mode otherwise = before == Mode.COMPAT ? Mode.LOG : before;
            set(connection, Mode.COMPAT);
            try {
                awaitRest(connection, longest, otherwise);
                handOver.toCompat(connection);
            } catch (SQLException | InterruptedException | RuntimeException e) {
                goBack(otherwise, e);
                throw e;
            }
        }
    }

    private void awaitRest(Connection connection, Duration longest, Mode otherwise)
            throws SQLException, InterruptedException {
        long deadline = System.nanoTime() + longest.toNanos();
        // The lanes of wal mode say nothing about what is published; a relay brings them up to
        // date.
        while (hasPosition(connection) || !areLanesFree(connection)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(
                        "%s within %d s; %s mode goes on"
                                .formatted(
                                        hasPosition(connection)
                                                ? "events are read from the database's log, and no relay came to say in the table how far it is (start one and try again)"
                                                : "the relays did not come to rest",
                                        longest.toSeconds(),
                                        otherwise.word()));
            }
            Thread.sleep(20);
        }
    }

    /// With another connection: the first may be what has failed. Perhaps after the hand-over was committed, which is then not undone.
    private void goBack(Mode to, Exception why) {
        try (Connection connection = database.open()) {
            if (!handOver.isToCompat(connection)) {
                set(connection, to);
            }
        } catch (SQLException e) {
            why.addSuppressed(e);
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

    /// Two changes at once would undo each other's. The lock goes with the session, whatever becomes of the process.
    private record Turn(Connection connection, String lock) implements AutoCloseable {
        static Turn take(ConnectionSource database, OutboxTable table) throws SQLException {
            Turn turn =
                    new Turn(
                            database.open(),
                            "('outbox_source'::regclass::oid::int, hashtext('%s'))"
                                    .formatted(table.name()));
            try {
                requireInstalled(turn.connection, table);
                if (turn.ask("pg_try_advisory_lock")) {
                    return turn;
                }
                throw new IllegalStateException(
                        "somebody else is changing the mode of table %s at this moment"
                                .formatted(table.name()));
            } catch (SQLException | RuntimeException e) {
                turn.connection.close();
                throw e;
            }
        }

        private boolean ask(String function) throws SQLException {
            try (PreparedStatement query =
                            connection.prepareStatement("SELECT " + function + lock);
                    ResultSet row = query.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }

        @Override
        public void close() throws SQLException {
            try (connection) {
                if (!connection.isClosed()) {
                    ask("pg_advisory_unlock");
                }
            }
        }
    }
}
