package io.sluice.outbox.wal;

import io.sluice.outbox.BoundedSessions;
import io.sluice.outbox.OutboxTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.postgresql.replication.LogSequenceNumber;

/// How far the stream is published: transactions that end up to a position, and so many events of the next one. Beside it, the same as a
/// snapshot and a few transactions more, so that the table can take over at any moment.
///
/// Rows of a multi-row insert share one position in the log, so a position alone would not do. The snapshot comes with marks in the stream. A
/// backlog that was written while no relay ran has none; there the transactions are [folded][#fold] into the snapshot before they become many.
///
/// Owned by the publishing thread.
public final class WalCursor {
    /// More transactions than this are not kept beside the snapshot.
    static final int MOST_SINCE = 10_000;

    /// Transactions with events that have ended, of those that were open in a snapshot or came after it.
    private static final String WRITTEN =
            """
            SELECT pg_current_snapshot()::text, array_to_string(ARRAY(
              SELECT DISTINCT e.tx FROM outbox_lane l CROSS JOIN LATERAL (
                SELECT tx FROM {table} WHERE outbox_lane_of({key}::text) = l.lane AND ord IS NOT NULL AND tx >= ?::xid8 AND tx < ?::xid8
                UNION ALL
                SELECT tx FROM {table} WHERE outbox_lane_of({key}::text) = l.lane AND ord IS NOT NULL AND tx = ANY (?::text[]::xid8[])) e
              WHERE l.outbox = '{table}'), ',')
            """;

    private final String outbox;
    private long lsn;
    private long index;
    private long partialXid;
    private Snapshot seen;
    private final TreeSet<Long> since = new TreeSet<>();
    private boolean unsaved;

    private WalCursor(String outbox, long lsn, long index, Snapshot seen) {
        this.outbox = outbox;
        this.lsn = lsn;
        this.index = index;
        this.seen = seen;
    }

    public static WalCursor at(String outbox, Slot.Beginning beginning) {
        WalCursor cursor =
                new WalCursor(outbox, beginning.lsn(), 0, Snapshot.of(beginning.snapshot()));
        cursor.unsaved = true;
        return cursor;
    }

    /// As it was saved; empty if the lanes are those of the table.
    public static Optional<WalCursor> load(Connection connection, String outbox)
            throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT wal_lsn::text, wal_index, wal_seen::text, array_to_string(wal_since, ',') FROM outbox_source WHERE outbox = ? AND wal_lsn IS NOT NULL")) {
            query.setString(1, outbox);
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    return Optional.empty();
                }
                WalCursor cursor =
                        new WalCursor(
                                outbox,
                                LogSequenceNumber.valueOf(row.getString(1)).asLong(),
                                row.getLong(2),
                                Snapshot.of(row.getString(3)));
                cursor.since.addAll(numbers(row.getString(4)));
                return Optional.of(cursor);
            }
        }
    }

    public long lsn() {
        return lsn;
    }

    /// Events of the next transaction that are published already.
    public long index() {
        return index;
    }

    /// Whether events of this transaction are published: by the table before the stream began, or by the stream.
    public boolean covers(long xid) {
        return seen.shows(xid) || since.contains(xid);
    }

    /// An event of the transaction that is being brought again, published before.
    public void skipped(long xid) {
        partialXid = xid;
    }

    /// One more event of the transaction that is being brought.
    public void published(long xid) {
        index++;
        partialXid = xid;
        unsaved = true;
    }

    public void ended(long endLsn) {
        if (index > 0) {
            since.add(partialXid);
        }
        index = 0;
        lsn = endLsn;
        unsaved = true;
    }

    /// All that is visible in the mark has come. A mark from before the last folding knows less than we do.
    public void marked(String snapshot) {
        Snapshot mark = Snapshot.of(snapshot);
        if (mark.includes(seen)) {
            seen = mark;
            since.removeIf(seen::shows);
            unsaved = true;
        }
    }

    /// Whether so many transactions have come without a mark that they should be folded.
    public boolean isLong() {
        return since.size() > MOST_SINCE;
    }

    /// Makes the transactions since the last mark part of the snapshot. What else has ended is part of it if it has written no event, as the
    /// table tells.
    public void fold(Connection connection, OutboxTable table) throws SQLException {
        if (since.isEmpty()) {
            return;
        }
        String sql = WRITTEN.replace("{table}", table.name()).replace("{key}", table.key());
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, Long.toString(seen.xmax()));
            query.setString(2, Long.toString(Math.max(seen.xmax(), since.last() + 1)));
            Object[] open = seen.open().stream().map(String::valueOf).toArray();
            query.setArray(3, connection.createArrayOf("text", open));
            // All that was written since the last mark is read, and that may be much.
            seen = BoundedSessions.unhurried(connection, () -> folded(query));
        }
        since.clear();
        unsaved = true;
    }

    private Snapshot folded(PreparedStatement query) throws SQLException {
        try (ResultSet row = query.executeQuery()) {
            row.next();
            Snapshot now = Snapshot.of(row.getString(1));
            return seen.with(since, now, numbers(row.getString(2)));
        }
    }

    private static Set<Long> numbers(String list) {
        Set<Long> numbers = new TreeSet<>();
        for (String number : list.split(",")) {
            if (!number.isEmpty()) {
                numbers.add(Long.valueOf(number));
            }
        }
        return numbers;
    }

    /// All that is visible in it is published.
    public String seen() {
        return seen.text();
    }

    /// Whether transactions have come since the last mark.
    public boolean hasMoved() {
        return !since.isEmpty() || index > 0;
    }

    /// For reading the table instead. A transaction of which only a part is published is not visible in it.
    public String asSnapshot(Connection connection, OutboxTable table) throws SQLException {
        fold(connection, table);
        return seen.text();
    }

    public boolean isUnsaved() {
        return unsaved;
    }

    /// In the transaction that saves the lanes.
    public void save(Connection connection) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement(
                        "UPDATE outbox_source SET wal_lsn = ?::pg_lsn, wal_index = ?, wal_seen = ?::pg_snapshot, wal_since = ?::text[]::xid8[], fallback = NULL WHERE outbox = ?")) {
            update.setString(1, LogSequenceNumber.valueOf(lsn).asString());
            update.setLong(2, index);
            update.setString(3, seen.text());
            Object[] xids = since.stream().map(String::valueOf).toArray();
            update.setArray(4, connection.createArrayOf("text", xids));
            update.setString(5, outbox);
            update.executeUpdate();
        }
        unsaved = false;
    }

    /// The lanes are still those of the table.
    public static void postponed(Connection connection, String outbox, String reason)
            throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement(
                        "UPDATE outbox_source SET fallback = ? WHERE outbox = ? AND wal_lsn IS NULL")) {
            update.setString(1, reason);
            update.setString(2, outbox);
            update.executeUpdate();
        }
    }

    /// The lanes are those of the table again.
    public static void clear(Connection connection, String outbox, @Nullable String reason)
            throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement(
                        "UPDATE outbox_source SET wal_lsn = NULL, wal_index = 0, wal_seen = NULL, wal_since = '{}', fallback = ? WHERE outbox = ?")) {
            update.setString(1, reason);
            update.setString(2, outbox);
            update.executeUpdate();
        }
    }
}
