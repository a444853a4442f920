package io.sluice.outbox.membership;

import io.sluice.outbox.lanes.Mode;
import io.sluice.outbox.lanes.View;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The statements about members: join, renew and look around, bury, leave.
///
/// Each member's session holds a lock on the member's number. It becomes free when the session ends, so a waiting neighbour
/// knows at once; but only a missing or expired row makes a member dead.
///
/// Immutable; used on whatever connection it is given.
public final class Members {
    /// Locks and channels carry the table's own number, so that outboxes in other schemas do not meet.
    static final String CLASS = "'outbox_member'::regclass::oid::int";

    private static final Duration TURN = Duration.ofSeconds(2);
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private static final String RENEW =
            """
            WITH renewed AS (
              UPDATE outbox_member SET until = clock_timestamp() + ? * interval '1 millisecond' WHERE number = ? RETURNING number),
            buried AS (
              DELETE FROM outbox_member WHERE outbox = ? AND until < clock_timestamp() AND number <> ? RETURNING number)
            SELECT 'member', m.number, NULL::int, m.name, {destination} FROM outbox_member m
            WHERE m.outbox = ? AND NOT EXISTS (SELECT FROM buried WHERE buried.number = m.number)
              AND (m.number <> ? OR EXISTS (SELECT FROM renewed))
            UNION ALL
            SELECT 'lane', l.owner, l.lane, NULL, NULL, NULL FROM outbox_lane l WHERE l.outbox = ?
            UNION ALL
            SELECT CASE WHEN s.wal_lsn IS NOT NULL THEN 'wal' ELSE s.mode END, NULL, NULL, NULL, NULL, NULL FROM outbox_source s WHERE s.outbox = ?
            """;

    private static final String RENEW_AND_COMPARE =
            RENEW.replace("{destination}", "m.topic, m.guarantee");
    private static final String RENEW_ONLY = RENEW.replace("{destination}", "NULL, NULL");

    private static final String JOIN =
            """
            INSERT INTO outbox_member (outbox, name, joined_at, until)
            VALUES (?, ?, clock_timestamp(), clock_timestamp() + ? * interval '1 millisecond') RETURNING number
            """;

    private static final String JOIN_AND_TELL =
            """
            INSERT INTO outbox_member (outbox, name, joined_at, until, topic, guarantee)
            VALUES (?, ?, clock_timestamp(), clock_timestamp() + ? * interval '1 millisecond', ?, ?) RETURNING number
            """;

    private final String outbox;
    private final String name;
    private final Destination destination;
    private final Duration lease;

    /// Who is there.
    ///
    /// @param disagreement who else publishes elsewhere than this member, or otherwise, as a sentence; null if nobody is known to
    record Roll(View view, @Nullable String disagreement) {}

    Members(String outbox, String name, Destination destination, Duration lease) {
        this.outbox = outbox;
        this.name = name;
        this.destination = destination;
        this.lease = lease;
    }

    /// Whether members can tell where they publish to: a table that was made by an earlier version has no columns for it.
    public static boolean tellDestinations(Connection connection) throws SQLException {
        try (PreparedStatement query =
                        connection.prepareStatement(
                                "SELECT count(*) FROM pg_attribute WHERE attrelid = to_regclass('outbox_member') AND attname IN ('topic', 'guarantee') AND NOT attisdropped");
                ResultSet row = query.executeQuery()) {
            row.next();
            return row.getInt(1) == 2;
        }
    }

    /// Becomes visible to others only when its lock is held.
    ///
    /// @param telling where it publishes to
    long join(Connection connection, boolean telling) throws SQLException {
        connection.setAutoCommit(false);
        long number;
        try (PreparedStatement insert =
                connection.prepareStatement(telling ? JOIN_AND_TELL : JOIN)) {
            insert.setString(1, outbox);
            insert.setString(2, name);
            insert.setLong(3, lease.toMillis());
            if (telling) {
                insert.setString(4, destination.topic());
                insert.setString(5, destination.guarantee());
            }
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
    /// @param comparing where the others publish to
    /// @return empty when this member itself has been buried
    Optional<Roll> renew(Connection connection, long self, boolean comparing) throws SQLException {
        TreeSet<Long> members = new TreeSet<>();
        TreeSet<String> others = new TreeSet<>(); // In one order, whatever the database says.
        TreeMap<Integer, Long> owners = new TreeMap<>();
        int lanes = 0;
        Mode mode = Mode.LOG;
        try (PreparedStatement statement =
                connection.prepareStatement(comparing ? RENEW_AND_COMPARE : RENEW_ONLY)) {
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
                        case "member" -> {
                            members.add(number);
                            other(row).ifPresent(others::add);
                        }
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
                ? Optional.of(new Roll(new View(members, owners, lanes, mode), sentence(others)))
                : Optional.empty();
    }

    /// A member that publishes elsewhere, if this row is of one.
    private Optional<String> other(ResultSet row) throws SQLException {
        String topic = row.getString(5);
        String guarantee = row.getString(6);
        if (topic == null || guarantee == null) {
            return Optional.empty(); // It does not say.
        }
        Destination its = new Destination(topic, guarantee);
        return its.equals(destination)
                ? Optional.empty()
                : Optional.of(
                        "%s (member %d) to %s".formatted(row.getString(4), row.getLong(2), its));
    }

    private @Nullable String sentence(Collection<String> others) {
        return others.isEmpty()
                ? null
                : "Relays of table %s disagree: this one publishes to %s, %s. Each publishes its own lanes as it is told. Give all of them the same topic and guarantee"
                        .formatted(outbox, destination, String.join(", ", others));
    }

    /// Waits for a turn until that member's session is gone.
    ///
    /// @return whether it is
    boolean awaitEndOf(PreparedStatement wait, long member) throws SQLException {
        wait.setLong(1, member);
        try {
            wait.execute();
            return true;
        } catch (SQLException e) {
            if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    /// Waits in turns. A statement that waits for days would keep the snapshot that it began with: nothing that dies after it, in whatever
    /// table of this database, could be vacuumed, and `CREATE INDEX CONCURRENTLY` would never end.
    PreparedStatement prepareWait(Connection connection) throws SQLException {
        try (Statement set = connection.createStatement()) {
            set.execute("SET lock_timeout = " + TURN.toMillis());
        }
        return connection.prepareStatement("SELECT pg_advisory_lock_shared(" + CLASS + ", ?::int)");
    }

    /// Its session is gone: its lanes may be taken, whatever its lease says.
    void bury(Connection connection, long member) throws SQLException {
        run(connection, "SELECT pg_advisory_unlock_shared(" + CLASS + ", ?::int)", member);
        leave(connection, member);
    }

    /// How many there are beside this one.
    public static long others(Connection connection, String outbox, long self) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT count(*) FROM outbox_member WHERE outbox = ? AND number <> ? AND until > clock_timestamp()")) {
            query.setString(1, outbox);
            query.setLong(2, self);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /// Whether nobody has buried it. Whoever takes a member's lanes does that first, and then fences it; so a producer that was there before this was asked will be
    /// fenced before anybody else has the lanes.
    public static boolean isMember(Connection connection, long member) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT FROM outbox_member WHERE number = ?")) {
            query.setLong(1, member);
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    /// Removes the member and tells the others.
    void leave(Connection connection, long member) throws SQLException {
        run(connection, "DELETE FROM outbox_member WHERE number = ?", member);
        tellMembers(connection);
    }

    /// As a writer rings: relays that sleep look at their tables.
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
