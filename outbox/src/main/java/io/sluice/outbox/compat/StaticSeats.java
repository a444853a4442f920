package io.sluice.outbox.compat;

import io.sluice.outbox.OutboxTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.SortedSet;
import java.util.TreeSet;

/// Which instances are there, by locks of their sessions, without any table.
///
/// Every instance shares locks that stand for its total and its id, so that all see what is believed in; and holds alone a lock for each
/// part that it works on, so that no two work on one, even if two were started with the same id. The second waits, and
/// takes over when the first dies.
///
/// Used by one thread; the locks belong to the session of the connection.
final class StaticSeats {
    private static final int PRESENT = 1 << 29;
    private static final int TOTAL = 1 << 30;

    private final String object;

    StaticSeats(OutboxTable table) {
        this.object = "'" + table.name() + "'::regclass::oid::int";
    }

    void announce(Connection connection, int id, int total) throws SQLException {
        String share = "SELECT true FROM pg_advisory_lock_shared(" + object + ", ?)";
        ask(connection, share, TOTAL + total);
        ask(connection, share, PRESENT + id);
    }

    /// @return whether the part is ours now
    boolean take(Connection connection, int part) throws SQLException {
        return ask(connection, "SELECT pg_try_advisory_lock(" + object + ", ?)", part);
    }

    void giveBack(Connection connection, int part) throws SQLException {
        ask(connection, "SELECT pg_advisory_unlock(" + object + ", ?)", part);
    }

    /// The totals that running instances believe in; more than one is a mistake, or a change on its way.
    SortedSet<Integer> totals(Connection connection) throws SQLException {
        return numbers(locked(connection).tailSet(TOTAL), TOTAL);
    }

    /// Who believes in which total, in the order of the ids, for people.
    String beliefs(Connection connection) throws SQLException {
        String sql =
                """
                SELECT string_agg(DISTINCT format('instance %%s says %%s', i.objid::bigint - %d, t.objid::bigint - %d), ', ')
                FROM pg_locks i JOIN pg_locks t USING (pid, locktype, granted, objsubid, classid, database)
                WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid::int = %s
                  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                  AND i.objid::bigint >= %1$d AND i.objid::bigint < %2$d AND t.objid::bigint >= %2$d
                """
                        .formatted(PRESENT, TOTAL, object);
        try (PreparedStatement query = connection.prepareStatement(sql);
                ResultSet row = query.executeQuery()) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }

    /// The ids of running instances, whether they have their part or wait for it.
    SortedSet<Integer> present(Connection connection) throws SQLException {
        return numbers(locked(connection).subSet(PRESENT, TOTAL), PRESENT);
    }

    /// The parts that somebody works on.
    SortedSet<Integer> covered(Connection connection) throws SQLException {
        return numbers(locked(connection).headSet(PRESENT), 0);
    }

    private static SortedSet<Integer> numbers(SortedSet<Integer> locks, int base) {
        SortedSet<Integer> numbers = new TreeSet<>();
        locks.forEach(lock -> numbers.add(lock - base));
        return numbers;
    }

    private SortedSet<Integer> locked(Connection connection) throws SQLException {
        SortedSet<Integer> numbers = new TreeSet<>();
        try (PreparedStatement query =
                        connection.prepareStatement(
                                "SELECT DISTINCT objid::bigint FROM pg_locks WHERE locktype ="
                                        + " 'advisory' AND granted AND objsubid = 2 AND classid::int = "
                                        + object
                                        + " AND database = (SELECT oid FROM pg_database WHERE"
                                        + " datname = current_database())");
                ResultSet row = query.executeQuery()) {
            while (row.next()) {
                numbers.add(row.getInt(1));
            }
        }
        return numbers;
    }

    private static boolean ask(Connection connection, String sql, int number) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setInt(1, number);
            try (ResultSet row = query.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }
}
