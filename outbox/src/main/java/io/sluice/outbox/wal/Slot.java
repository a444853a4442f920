package io.sluice.outbox.wal;

import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.OutboxTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.postgresql.replication.LogSequenceNumber;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The replication slot of an outbox, and the publication that says what goes into it.
///
/// Immutable; used by the publishing thread.
public final class Slot {
    private static final Logger LOG = LoggerFactory.getLogger(Slot.class);
    private static final int OLDEST = 14;
    private static final int ATTEMPTS = 100;
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final String IN_USE = "55006";
    private static final String FORBIDDEN = "42501";
    private static final String MISSING = "42704";

    private final OutboxTable table;
    private final String name;

    /// A slot that is there now. A transaction that was open at that moment may have its COMMIT in the log in front of the position and not be visible
    /// yet, since it waits for its disk or for a synchronous standby: it is neither in the stream nor in a snapshot of that moment.
    ///
    /// @param next a transaction that began later. A snapshot would not do: it ends behind the last that has ended, and does not list what is open beyond
    public record Made(long next, long lsn) {
        /// With a snapshot of now; good to begin with once nothing is [awaited][#awaited] in it.
        public Beginning beginning(Connection reading) throws SQLException {
            return new Beginning(Slot.snapshot(reading), lsn);
        }

        /// The oldest transaction that was open when the slot was made, and has not ended.
        public OptionalLong awaited(Beginning now) {
            long oldest = Snapshot.of(now.snapshot()).xmin();
            return oldest < next ? OptionalLong.of(oldest) : OptionalLong.empty();
        }
    }

    /// Where to begin with a new slot: all that is not visible in the snapshot comes behind this position.
    public record Beginning(String snapshot, long lsn) {
        /// Behind the same position, with a snapshot of now.
        public Beginning later(Connection reading) throws SQLException {
            return new Beginning(Slot.snapshot(reading), lsn);
        }
    }

    /// Something that is done to the slot or its publication.
    public interface Action {
        void run() throws SQLException;
    }

    /// Lets it be done by whom the slot belongs to, and keeps it his until it is done. A relay that was frozen, and whose lanes are somebody
    /// else's when it wakes up, would otherwise end its successor's stream.
    public interface Guard {
        /// @return whether it was allowed, and so done
        boolean permits(Connection connection, Action action) throws SQLException;
    }

    private Slot(OutboxTable table, String name) {
        this.table = table;
        this.name = name;
    }

    /// Slots are the cluster's, so the name has the database's and the table's number in it.
    public static Slot of(Connection connection, OutboxTable table) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT 'outbox_' || (SELECT oid FROM pg_database WHERE datname = current_database()) || '_' || ?::regclass::oid")) {
            query.setString(1, table.name());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return new Slot(table, row.getString(1));
            }
        }
    }

    public String name() {
        return name;
    }

    /// Why this database cannot be read by its log, for people.
    public Optional<String> obstacle(Connection connection, boolean mayBeUnbounded)
            throws SQLException {
        int version = connection.getMetaData().getDatabaseMajorVersion();
        if (version < OLDEST) {
            return Optional.of(
                    "this is PostgreSQL %d, whose log cannot bring the marks that say how far it is: wal mode needs %d or newer"
                            .formatted(version, OLDEST));
        }
        String encoding = setting(connection, "server_encoding");
        if (!encoding.equals("UTF8")) {
            return Optional.of(
                    "the database's encoding is %s: lanes are those of the bytes of an aggregate's id in the database, which only UTF8 has in common with the log as it is read here. Stay in log mode"
                            .formatted(encoding));
        }
        String level = setting(connection, "wal_level");
        if (!level.equals("logical")) {
            return Optional.of("wal_level is %s, it must be logical".formatted(level));
        }
        if (!mayBeUnbounded && setting(connection, "max_slot_wal_keep_size").equals("-1")) {
            return Optional.of(
                    "max_slot_wal_keep_size is not set: a relay that is away would fill the database's disk. Set it, or allow an unbounded slot");
        }
        return Optional.empty();
    }

    private static String setting(Connection connection, String name) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW " + name)) {
            row.next();
            return row.getString(1);
        }
    }

    /// Whether the slot still has all that comes after this position.
    public boolean reaches(Connection connection, long lsn) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT FROM pg_replication_slots WHERE slot_name = ? AND wal_status IS DISTINCT FROM 'lost' AND restart_lsn IS NOT NULL AND confirmed_flush_lsn <= ?::pg_lsn")) {
            query.setString(1, name);
            query.setString(2, LogSequenceNumber.valueOf(lsn).asString());
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    /// The stream behind a position. Whoever read it before, and whose lanes are ours, is thrown out, and needs a moment to go.
    public WalStream read(
            Connection connection,
            Guard guard,
            ConnectionSource replication,
            long from,
            WalStream.Room room)
            throws SQLException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            require(guard, connection, () -> release(connection));
            try {
                return WalStream.open(replication, table, name, from, room);
            } catch (SQLException e) {
                if (!isInUse(e) || attempt == ATTEMPTS) {
                    throw e;
                }
                Thread.sleep(PAUSE);
            }
        }
    }

    /// Whether it could not be read only because somebody else reads it: then it is not lost.
    public static boolean isInUse(SQLException e) {
        return IN_USE.equals(e.getSQLState());
    }

    /// Whether this user has no right to replicate, and so none to drop slots.
    public static boolean isForbidden(SQLException e) {
        return FORBIDDEN.equals(e.getSQLState());
    }

    private void require(Guard guard, Connection connection, Action action) throws SQLException {
        if (!guard.permits(connection, action)) {
            throw new SQLException(
                    "slot %s belongs to another relay, which has taken the lanes over"
                            .formatted(name));
        }
    }

    private void release(Connection connection) throws SQLException {
        run(
                connection,
                "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = ? AND active");
    }

    /// Who reads it needs a moment to go. One that belongs to somebody else stays.
    public void drop(Connection connection, Guard guard) throws SQLException, InterruptedException {
        for (int attempt = 0; attempt < ATTEMPTS && exists(connection); attempt++) {
            if (!throwOut(connection, guard)) {
                return;
            }
            Thread.sleep(PAUSE);
        }
        if (exists(connection)) {
            LOG.error(
                    "Slot {} makes the database keep its log and could not be dropped in {} attempts, since somebody reads it. Stop who does (pg_replication_slots.active_pid), then: SELECT pg_drop_replication_slot('{}')",
                    name,
                    ATTEMPTS,
                    name);
        }
    }

    /// Somebody else may begin to read it, or drop it, at the same moment.
    ///
    /// @return whether it is ours
    private boolean throwOut(Connection connection, Guard guard) throws SQLException {
        try {
            return guard.permits(
                    connection,
                    () -> {
                        release(connection);
                        run(
                                connection,
                                "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = ? AND NOT active");
                    });
        } catch (SQLException e) {
            if (!isInUse(e) && !MISSING.equals(e.getSQLState())) {
                throw e;
            }
            return true;
        }
    }

    /// Whether the outbox neither has a position in it nor wants one; in a transaction, it stays so until that ends.
    public boolean isUnwanted(Connection connection) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT FROM outbox_source WHERE outbox = ? AND wal_lsn IS NULL AND mode <> 'wal' FOR SHARE")) {
            query.setString(1, table.name());
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    private boolean exists(Connection connection) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT FROM pg_replication_slots WHERE slot_name = ?")) {
            query.setString(1, name);
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    /// A slot on its way. The database waits until every transaction that writes has ended, however long that takes, so it is made on a
    /// thread of its own.
    public static final class Making implements AutoCloseable {
        private final Connection connection;
        private final CompletableFuture<Long> made = new CompletableFuture<>();

        private Making(Connection connection, String name) {
            this.connection = connection;
            Thread.ofPlatform().name("outbox-slot").daemon().start(() -> make(name));
        }

        private void make(String name) {
            try (Statement statement = connection.createStatement();
                    ResultSet row =
                            statement.executeQuery(
                                    "CREATE_REPLICATION_SLOT %s LOGICAL pgoutput NOEXPORT_SNAPSHOT"
                                            .formatted(name))) {
                row.next();
                made.complete(
                        LogSequenceNumber.valueOf(row.getString("consistent_point")).asLong());
            } catch (Throwable e) {
                made.completeExceptionally(e); // Whatever it is, somebody waits for it.
            }
        }

        public boolean isDone() {
            return made.isDone();
        }

        /// Once it is done.
        public Made made(Connection reading) throws SQLException {
            try {
                long lsn = made.join();
                return new Made(next(reading), lsn);
            } catch (CompletionException e) {
                throw new SQLException("no slot can be made: " + e.getCause(), e);
            } finally {
                close();
            }
        }

        @Override
        public void close() throws SQLException {
            connection.abort(Runnable::run);
        }
    }

    /// A new slot in place of whatever there was.
    public Making make(Connection connection, Guard guard, ConnectionSource replication)
            throws SQLException, InterruptedException {
        drop(connection, guard);
        require(guard, connection, () -> publish(connection));
        return new Making(replication.open(), name);
    }

    /// Has ended when this is known, so that every later snapshot reaches beyond it.
    private static long next(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_current_xact_id()::text")) {
            row.next();
            return Long.parseLong(row.getString(1));
        }
    }

    private static String snapshot(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_current_snapshot()::text")) {
            row.next();
            return row.getString(1);
        }
    }

    private void publish(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // The lanes are held meanwhile, and whoever wants to save one waits, too.
            statement.execute("SET LOCAL lock_timeout = '2s'");
            statement.execute("DROP PUBLICATION IF EXISTS " + name);
            statement.execute(
                    "CREATE PUBLICATION %s FOR TABLE %s WITH (publish = 'insert', publish_via_partition_root = true)"
                            .formatted(name, table.name()));
        }
    }

    /// Tells in the stream what has been visible by now, wakes its reader, and moves the slot of a quiet database.
    ///
    /// @return where it stands in the log
    public long mark(Connection connection) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT pg_logical_emit_message(true, ?, pg_current_snapshot()::text)::text")) {
            query.setString(1, PgOutput.MARK);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return LogSequenceNumber.valueOf(row.getString(1)).asLong();
            }
        }
    }

    /// Whether somebody reads it.
    public boolean isRead(Connection connection) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT FROM pg_replication_slots WHERE slot_name = ? AND active")) {
            query.setString(1, name);
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    private void run(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, name);
            statement.execute();
        }
    }
}
