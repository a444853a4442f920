package io.sluice.outbox.compat;

import io.sluice.outbox.OutboxTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/// Which instances are there, by locks of their sessions, without any table.
///
/// Every instance shares locks that stand for its id and its total, so that all see what is believed in; and holds alone a lock for each
/// part that it works on, so that no two work on one, even if two were started with the same id. The second waits, and
/// takes over when the first dies.
///
/// | lock | by | |
/// | --- | --- | --- |
/// | part | one session | from 0 |
/// | [#PRESENT] + id | shared | |
/// | [#TOTAL] + total | shared | the last of a session's announcement: without it nobody is a member |
///
/// Used by one thread; the locks belong to the session of the connection.
final class StaticSeats {
    private static final int PRESENT = 1 << 29;
    private static final int TOTAL = 1 << 30;

    private final String object;

    StaticSeats(OutboxTable table) {
        this.object = "'" + table.name() + "'::regclass::oid::int";
    }

    /// Whoever calls the roll afterwards sees everybody who has announced a total before.
    void announce(Connection connection, int id, int total) throws SQLException {
        String share = "SELECT true FROM pg_advisory_lock_shared(" + object + ", ?)";
        ask(connection, share, PRESENT + id);
        ask(connection, share, TOTAL + total);
    }

    /// @return whether the part is ours now
    boolean take(Connection connection, int part) throws SQLException {
        return ask(connection, "SELECT pg_try_advisory_lock(" + object + ", ?)", part);
    }

    void giveBack(Connection connection, int part) throws SQLException {
        ask(connection, "SELECT pg_advisory_unlock(" + object + ", ?)", part);
    }

    /// All of one moment: the database looks at its locks while nobody can change them.
    Roll roll(Connection connection) throws SQLException {
        Map<Integer, SortedSet<Integer>> locks = new HashMap<>(); // By session.
        String sql =
                """
                SELECT pid, objid::bigint FROM pg_locks
                WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid::int = %s
                  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """
                        .formatted(object);
        try (PreparedStatement query = connection.prepareStatement(sql);
                ResultSet row = query.executeQuery()) {
            while (row.next()) {
                locks.computeIfAbsent(row.getInt(1), session -> new TreeSet<>()).add(row.getInt(2));
            }
        }
        List<Seat> seats = new ArrayList<>();
        for (SortedSet<Integer> held : locks.values()) {
            SortedSet<Integer> present = held.subSet(PRESENT, TOTAL);
            SortedSet<Integer> total = held.tailSet(TOTAL);
            if (!present.isEmpty() && !total.isEmpty()) {
                seats.add(
                        new Seat(
                                present.first() - PRESENT,
                                total.first() - TOTAL,
                                List.copyOf(held.headSet(PRESENT))));
            }
        }
        seats.sort(Comparator.comparingInt(Seat::instance).thenComparingInt(Seat::total));
        return new Roll(seats);
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
