package io.sluice.outbox.partitions;

import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.ShortWaits;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The partitions of an event table, ranges of `ord`: made ahead of the writers, dropped behind the relays.
///
/// ```
///           the sequence has passed its end        a second later              all lanes have seen the mark,
///  OPEN ─────────────────────────────────▶ CLOSED ──────────────▶ MARKED ────────────────────────────────▶ dropped
///                                                                              and the retention is over
/// ```
/// The mark is taken a while after the close, because a transaction may have drawn a number and not have an id yet for a moment.
/// Not by time: a transaction that began yesterday writes yesterday's time today. There is no default partition, with which none could
/// be detached without stopping the writers.
///
/// Used by one thread, on a connection in auto-commit mode.
public final class EventPartitions {
    private static final Logger LOG = LoggerFactory.getLogger(EventPartitions.class);
    private static final int AHEAD = 3;
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);
    private static final String LOCK = "'outbox_partition'::regclass::oid::int, hashtext(?)";

    private final OutboxTable table;

    public EventPartitions(OutboxTable table) {
        this.table = table;
    }

    /// Whether the table, which is there, can have partitions at all.
    public void requirePartitioned(Connection connection) throws SQLException {
        if (!has(
                connection,
                "SELECT FROM pg_class WHERE oid = to_regclass(?) AND relkind = 'p'",
                table.name())) {
            throw new IllegalStateException(
                    "table %s is there and has no partitions. Only a new table can get them: rename this one when all of its events are published, or go on with it as it is (app.outbox.schema=install)"
                            .formatted(table.name()));
        }
    }

    /// Whether the table is there and cannot have partitions.
    public boolean isPlain(Connection connection) throws SQLException {
        return has(
                connection,
                "SELECT FROM pg_class WHERE oid = to_regclass(?) AND relkind <> 'p'",
                table.name());
    }

    /// Whether the table was made with partitions.
    public boolean isPartitioned(Connection connection) throws SQLException {
        return !strings(connection, "SELECT name FROM outbox_partition WHERE outbox = ? LIMIT 1")
                .isEmpty();
    }

    /// The first partitions of a new table.
    public void begin(Connection connection, long eventsEach) throws SQLException {
        for (int i = 0; i < AHEAD; i++) {
            add(connection, i * eventsEach, (i + 1) * eventsEach);
        }
    }

    /// Makes what will be needed, and leaves the rest, and the lock, to those who know how long partitions are kept.
    public void makeAhead(Connection connection) throws SQLException {
        if (isAlone(connection)) {
            try {
                addAhead(connection);
            } finally {
                strings(connection, "SELECT pg_advisory_unlock(" + LOCK + ")::text");
            }
        }
    }

    /// Makes what will be needed, notes what is closed, drops what is over.
    ///
    /// @return whether some partition waits for lanes that have nothing to publish, and therefore do not save how far they are
    public boolean maintain(Connection connection, Duration retention) throws SQLException {
        if (!isAlone(connection)) {
            return isWaiting(connection);
        }
        addAhead(connection);
        run(
                connection,
                "UPDATE outbox_partition SET mark = pg_current_snapshot() WHERE outbox = ? AND mark IS NULL AND closed_at < clock_timestamp() - interval '1 s'");
        run(
                connection,
                "UPDATE outbox_partition SET closed_at = clock_timestamp() WHERE outbox = ? AND closed_at IS NULL AND to_ord <= (SELECT last_value FROM "
                        + table.name()
                        + "_ord)");
        drop(connection, retention);
        return isWaiting(connection);
    }

    /// One relay is enough; the lock belongs to the session.
    private boolean isAlone(Connection connection) throws SQLException {
        String lock = "SELECT pg_try_advisory_lock(" + LOCK + ")::text";
        return strings(connection, lock).getFirst().equals("true");
    }

    private boolean isWaiting(Connection connection) throws SQLException {
        return !strings(
                        connection,
                        "SELECT name FROM outbox_partition WHERE outbox = ? AND mark IS NOT NULL LIMIT 1")
                .isEmpty();
    }

    /// How many partitions are ready that no event has reached. With none, writers fail when the one that they write to is full.
    public int ahead(Connection connection) throws SQLException {
        String sql =
                "SELECT count(*)::text FROM outbox_partition WHERE outbox = ? AND from_ord > (SELECT last_value FROM "
                        + table.name()
                        + "_ord)";
        return Integer.parseInt(strings(connection, sql).getFirst());
    }

    private void addAhead(Connection connection) throws SQLException {
        long end;
        long size;
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT max(to_ord), max(to_ord) - max(from_ord) FROM outbox_partition WHERE outbox = ?")) {
            query.setString(1, table.name());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                end = row.getLong(1);
                size = row.getLong(2);
            }
        }
        for (int i = ahead(connection); i < AHEAD; i++) {
            add(connection, end, end + size);
            end += size;
        }
    }

    /// Attached, not created in place: that would stop the writers for a moment. Whoever died in the middle of it is followed by somebody who
    /// finishes it: otherwise the writers would run out of partitions.
    private void add(Connection connection, long from, long to) throws SQLException {
        String name = table.name() + "_p" + from;
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS %s (LIKE %s INCLUDING DEFAULTS)"
                            .formatted(name, table.name()));
            if (!isAttached(connection, name)) {
                statement.execute(
                        "ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%d) TO (%d)"
                                .formatted(table.name(), name, from, to));
            }
            statement.execute(
                    "INSERT INTO outbox_partition (outbox, name, from_ord, to_ord) VALUES ('%s', '%s', %d, %d)"
                            .formatted(table.name(), name, from, to));
        }
        LOG.info("Partition {} is ready", name);
    }

    private void drop(Connection connection, Duration retention) throws SQLException {
        List<String> over =
                strings(
                        connection,
                        """
                        SELECT p.name FROM outbox_partition p
                        WHERE p.outbox = ? AND p.mark IS NOT NULL AND p.closed_at + %d * interval '1 millisecond' < clock_timestamp()
                          AND NOT EXISTS (SELECT FROM outbox_lane l WHERE l.outbox = p.outbox
                            AND pg_snapshot_xmin(l.seen) < pg_snapshot_xmax(p.mark))
                        ORDER BY p.from_ord
                        """
                                .formatted(retention.toMillis()));
        for (String name : over) {
            boolean whole = isAttached(connection, name) && !isHalfDetached(connection, name);
            if (whole && isWaitedForByCompat(connection, name)) {
                continue;
            }
            try (ShortWaits waits = ShortWaits.of(connection, LONGEST_WAIT)) {
                if (isAttached(connection, name)) {
                    // Writers and relays go on while it waits for transactions that have begun.
                    waits.execute(
                            "ALTER TABLE %s DETACH PARTITION %s %s"
                                    .formatted(
                                            table.name(),
                                            name,
                                            isHalfDetached(connection, name)
                                                    ? "FINALIZE"
                                                    : "CONCURRENTLY"));
                }
                // While it waited, or before its predecessor died here, events may have been given
                // to compat mode. Nobody can give any now.
                if (isWaitedForByCompat(connection, name)) {
                    attachAgain(waits, connection, name);
                    continue;
                }
                waits.execute("DROP TABLE IF EXISTS " + name);
            }
            try (PreparedStatement delete =
                    connection.prepareStatement(
                            "DELETE FROM outbox_partition WHERE outbox = ? AND name = ?")) {
                delete.setString(1, table.name());
                delete.setString(2, name);
                delete.executeUpdate();
            }
            LOG.info("Partition {} is dropped, all of its events are published", name);
        }
    }

    private void attachAgain(ShortWaits waits, Connection connection, String name)
            throws SQLException {
        String range =
                strings(
                                connection,
                                "SELECT format('FROM (%%s) TO (%%s)', from_ord, to_ord) FROM outbox_partition WHERE outbox = ? AND name = '%s'"
                                        .formatted(name))
                        .getFirst();
        waits.execute(
                "ALTER TABLE %s ATTACH PARTITION %s FOR VALUES %s"
                        .formatted(table.name(), name, range));
        LOG.info("Partition {} stays, it has events that compat mode has to publish", name);
    }

    /// The lanes have passed what compat mode wrote and has not published yet.
    private static boolean isWaitedForByCompat(Connection connection, String name)
            throws SQLException {
        if (!has(
                connection,
                "SELECT FROM pg_attribute WHERE attrelid = to_regclass(?) AND attname = 'status' AND NOT attisdropped",
                name)) {
            return false;
        }
        return has(
                connection,
                "SELECT FROM %s WHERE status IN ('PENDING', 'SENDING') AND ?::text IS NOT NULL LIMIT 1"
                        .formatted(name),
                name);
    }

    private static boolean isAttached(Connection connection, String name) throws SQLException {
        return has(connection, "SELECT FROM pg_inherits WHERE inhrelid = to_regclass(?)", name);
    }

    private static boolean isHalfDetached(Connection connection, String name) throws SQLException {
        return has(
                connection,
                "SELECT FROM pg_inherits WHERE inhrelid = to_regclass(?) AND inhdetachpending",
                name);
    }

    private static boolean has(Connection connection, String sql, String name) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, name);
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    private List<String> strings(Connection connection, String sql) throws SQLException {
        List<String> found = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, table.name());
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    found.add(row.getString(1));
                }
            }
        }
        return found;
    }

    private void run(Connection connection, String sql) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setString(1, table.name());
            update.executeUpdate();
        }
    }
}
