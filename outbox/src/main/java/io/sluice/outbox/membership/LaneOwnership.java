package io.sluice.outbox.membership;

import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.LaneCursor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Takes lanes, saves how far they are, gives them away. Every write names the epoch that it believes in: whoever has lost a
/// lane, noticed or not, writes nothing.
///
/// Used by the publishing thread, inside the transaction of the connection it is given.
public final class LaneOwnership {
    private static final String COLUMNS =
            "lane, epoch, seen::text, bound::text, position, sequence";

    private static final String CURSORS =
            """
            FROM unnest(?::int[], ?::bigint[], ?::text[]::pg_snapshot[], ?::text[]::pg_snapshot[], ?::bigint[], ?::bigint[])
              AS c (lane, epoch, seen, bound, position, sequence)
            WHERE l.outbox = ? AND l.owner = ? AND l.lane = c.lane AND l.epoch = c.epoch
            RETURNING l.lane
            """;

    private static final String SAVE =
            """
            UPDATE outbox_lane l
            SET seen = c.seen, bound = c.bound, position = c.position, sequence = c.sequence
            """
                    + CURSORS;

    private static final String GIVE_AWAY =
            """
            UPDATE outbox_lane l
            SET seen = c.seen, bound = c.bound, position = c.position, sequence = c.sequence, owner = NULL
            """
                    + CURSORS;

    /// Whoever changes to compat mode waits for this to end and then counts the owners, or has this find nothing: our view may be an old one.
    private static final String CLAIM =
            """
            UPDATE outbox_lane SET owner = ?, epoch = epoch + 1
            WHERE outbox = ? AND lane IN (
              SELECT lane FROM outbox_lane
              WHERE outbox = ? AND (owner IS NULL OR owner = ANY (?))
                AND EXISTS (SELECT FROM outbox_source s WHERE s.outbox = ? AND (s.mode <> 'compat' OR s.wal_lsn IS NOT NULL) FOR SHARE)
              ORDER BY lane LIMIT ? FOR UPDATE SKIP LOCKED)
            RETURNING
            """
                    + COLUMNS;

    private static final String HOLD =
            """
            SELECT count(*) FROM (
              SELECT FROM outbox_lane l JOIN unnest(?::int[], ?::bigint[]) AS c (lane, epoch) ON l.lane = c.lane AND l.epoch = c.epoch
              WHERE l.outbox = ? AND l.owner = ? FOR SHARE OF l) ours
            """;

    private final String outbox;

    public LaneOwnership(String outbox) {
        this.outbox = outbox;
    }

    /// Takes up to `count` lanes that nobody owns, or somebody who is gone.
    public List<Lane> claim(Connection connection, long self, Collection<Long> gone, int count)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(CLAIM)) {
            update.setLong(1, self);
            update.setString(2, outbox);
            update.setString(3, outbox);
            update.setArray(4, connection.createArrayOf("int8", gone.toArray()));
            update.setString(5, outbox);
            update.setInt(6, count);
            return lanes(update);
        }
    }

    /// The lanes that are ours as the database has them, after a connection was lost. Under a new epoch: what that connection has asked for may still be
    /// on its way, and would set lanes back that have gone on.
    public List<Lane> takeAgain(Connection connection, long self) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        "UPDATE outbox_lane SET epoch = epoch + 1 WHERE outbox = ? AND owner = ? RETURNING "
                                + COLUMNS)) {
            query.setString(1, outbox);
            query.setLong(2, self);
            return lanes(query);
        }
    }

    /// Whether all of these are still ours. Nobody takes one before the transaction ends.
    public boolean hold(Connection connection, long self, Collection<Lane> lanes)
            throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(HOLD)) {
            setLanes(connection, query, lanes);
            query.setString(3, outbox);
            query.setLong(4, self);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getInt(1) == lanes.size();
            }
        }
    }

    /// @return the lanes that are no longer ours, of which nothing was saved
    public Set<Integer> save(Connection connection, long self, Collection<Lane> lanes)
            throws SQLException {
        Set<Integer> lost = write(connection, SAVE, self, lanes);
        for (Lane lane : lanes) {
            if (!lost.contains(lane.number())) {
                lane.saved();
            }
        }
        return lost;
    }

    /// @return the lanes that were no longer ours
    public Set<Integer> giveAway(Connection connection, long self, Collection<Lane> lanes)
            throws SQLException {
        return write(connection, GIVE_AWAY, self, lanes);
    }

    private Set<Integer> write(Connection connection, String sql, long self, Collection<Lane> lanes)
            throws SQLException {
        Set<Integer> lost = new HashSet<>();
        List<LaneCursor> cursors = new ArrayList<>();
        for (Lane lane : lanes) {
            lost.add(lane.number());
            cursors.add(lane.cursor());
        }
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            setLanes(connection, update, lanes);
            Object[] seen = cursors.stream().map(LaneCursor::seen).toArray();
            update.setArray(3, connection.createArrayOf("text", seen));
            Object[] bounds = cursors.stream().map(LaneCursor::bound).toArray();
            update.setArray(4, connection.createArrayOf("text", bounds));
            Object[] positions = cursors.stream().map(LaneCursor::position).toArray();
            update.setArray(5, connection.createArrayOf("int8", positions));
            Object[] sequences = cursors.stream().map(LaneCursor::sequence).toArray();
            update.setArray(6, connection.createArrayOf("int8", sequences));
            update.setString(7, outbox);
            update.setLong(8, self);
            try (ResultSet row = update.executeQuery()) {
                while (row.next()) {
                    lost.remove(row.getInt(1));
                }
            }
        }
        return lost;
    }

    private static void setLanes(
            Connection connection, PreparedStatement statement, Collection<Lane> lanes)
            throws SQLException {
        Object[] numbers = lanes.stream().map(Lane::number).toArray();
        Object[] epochs = lanes.stream().map(Lane::epoch).toArray();
        statement.setArray(1, connection.createArrayOf("int4", numbers));
        statement.setArray(2, connection.createArrayOf("int8", epochs));
    }

    private static List<Lane> lanes(PreparedStatement statement) throws SQLException {
        List<Lane> lanes = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                var cursor =
                        new LaneCursor(
                                row.getString(3), row.getString(4), row.getLong(5), row.getLong(6));
                lanes.add(new Lane(row.getInt(1), row.getLong(2), cursor));
            }
        }
        return lanes;
    }
}
