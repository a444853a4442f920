package io.sluice.outbox.membership;

import io.sluice.outbox.lanes.Mode;
import io.sluice.outbox.lanes.View;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/// The statements about members: join, renew and look around, bury, leave.
///
/// Each member's session holds a lock on the member's number. It becomes free when the session ends, so a waiting neighbour
/// knows at once; but only a missing or expired row makes a member dead.
///
/// Immutable; used on whatever connection it is given.
public final class Members {
    /// Locks and channels carry the table's own number, so that outboxes in other schemas do not meet.
    static final String CLASS = "'outbox_member'::regclass::oid::int";

    /// How a ring begins that names lanes; see `V3__doorbell.sql`.
    static final String RING_FOR = "events ";

    private static final String RENEW =
            """
            WITH renewed AS (
              UPDATE outbox_member SET until = clock_timestamp() + ? * interval '1 millisecond' WHERE number = ? RETURNING number),
            buried AS (
              DELETE FROM outbox_member WHERE outbox = ? AND until < clock_timestamp() AND number <> ? RETURNING number)
            SELECT 'member', m.number, NULL::int FROM outbox_member m
            WHERE m.outbox = ? AND NOT EXISTS (SELECT FROM buried WHERE buried.number = m.number)
              AND (m.number <> ? OR EXISTS (SELECT FROM renewed))
            UNION ALL
            SELECT 'lane', l.owner, l.lane FROM outbox_lane l WHERE l.outbox = ?
            UNION ALL
            SELECT CASE WHEN s.wal_lsn IS NOT NULL THEN 'wal' ELSE s.mode END, NULL, NULL FROM outbox_source s WHERE s.outbox = ?
            """;

    private final String outbox;
    private final String name;
    private final Duration lease;

    Members(String outbox, String name, Duration lease) {
        this.outbox = outbox;
        this.name = name;
        this.lease = lease;
    }

    /// Becomes visible to others only when its lock is held.
    long join(Connection connection) throws SQLException {
        String sql =
                """
                INSERT INTO outbox_member (outbox, name, joined_at, until)
                VALUES (?, ?, clock_timestamp(), clock_timestamp() + ? * interval '1 millisecond') RETURNING number
                """;
        connection.setAutoCommit(false);
        long number;
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setString(1, outbox);
            insert.setString(2, name);
            insert.setLong(3, lease.toMillis());
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                number = row.getLong(1);
            }
        }
        run(connection, "SELECT pg_advisory_lock(" + CLASS + ", ?::int)", number);
        run(connection, "SELECT pg_notify('outbox_' || " + CLASS + ", 'members')");
        connection.commit();
        connection.setAutoCommit(true);
        return number;
    }

    /// The channel on which members tell each other that something changed.
    String channel(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT 'outbox_' || " + CLASS);
                ResultSet row = query.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }

    /// Makes the lease longer, buries those whose lease ran out, and tells who is there. One statement.
    ///
    /// @return empty when this member itself has been buried
    Optional<View> renew(Connection connection, long self) throws SQLException {
        TreeSet<Long> members = new TreeSet<>();
        TreeMap<Integer, Long> owners = new TreeMap<>();
        int lanes = 0;
        Mode mode = Mode.LOG;
        try (PreparedStatement statement = connection.prepareStatement(RENEW)) {
            statement.setLong(1, lease.toMillis());
            statement.setLong(2, self);
            statement.setString(3, outbox);
            statement.setLong(4, self);
            statement.setString(5, outbox);
            statement.setLong(6, self);
            statement.setString(7, outbox);
            statement.setString(8, outbox);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    long number = row.getLong(2);
                    boolean nobody = row.wasNull();
                    switch (row.getString(1)) {
                        case "member" -> members.add(number);
                        case "lane" -> {
                            lanes++;
                            if (!nobody) {
                                owners.put(row.getInt(3), number);
                            }
                        }
                        default -> mode = Mode.of(row.getString(1));
                    }
                }
            }
        }
        return members.contains(self)
                ? Optional.of(new View(members, owners, lanes, mode))
                : Optional.empty();
    }

    /// Waits until that member's session is gone, for as long as the session waits for locks. Then anew: a statement that waits for days would keep
    /// vacuum from removing anything in the whole database. The failure is caught there, so that it does not fill the database's log.
    ///
    /// @return whether it is gone; its lock is ours then
    boolean awaitEndOf(Statement wait, long member) throws SQLException {
        wait.execute(
                """
                DO $$ BEGIN
                  PERFORM pg_advisory_lock_shared(%s, %d);
                EXCEPTION WHEN lock_not_available THEN
                  NULL;
                END $$;
                SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
                """
                        .formatted(CLASS, member));
        wait.getMoreResults();
        try (ResultSet row = wait.getResultSet()) {
            row.next();
            return row.getInt(1) > 0;
        }
    }

    /// Its session is gone: its lanes may be taken, whatever its lease says.
    void bury(Connection connection, long member) throws SQLException {
        run(connection, "SELECT pg_advisory_unlock_shared(" + CLASS + ", ?::int)", member);
        leave(connection, member);
    }

    /// Removes the member and tells the others.
    void leave(Connection connection, long member) throws SQLException {
        run(connection, "DELETE FROM outbox_member WHERE number = ?", member);
        tellMembers(connection);
    }

    /// All relays that sleep look at their tables.
    public static void ring(Connection connection) throws SQLException {
        run(connection, "SELECT pg_notify('outbox_' || " + CLASS + ", 'events')");
    }

    public static void tellMembers(Connection connection) throws SQLException {
        run(connection, "SELECT pg_notify('outbox_' || " + CLASS + ", 'members')");
    }

    private static void run(Connection connection, String sql, Object... parameters)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            statement.execute();
        }
    }
}
