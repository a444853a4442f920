package io.sluice.outbox.set;

import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.lanes.Backoff;
import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.reading.HeadersJson;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The statements about lanes and events. Whatever is written about a lane names the epoch that its writer believes in.
///
/// Aggregates are compared byte by byte, as Java compares them: the collation of somebody's own table may take 'A' for 'a', and nearly all take 'a ' for 'a'.
///
/// Immutable; used by the publishing thread, inside the transaction of the connection it is given.
final class SetTables {
    private static final int IDS_AT_ONCE = 1_000;

    /// The lane of the empty id, CRC32('') & 63. A row without an aggregate is of the one with that id, and the database knows no lane for it.
    private static final int KEYLESS = 0;

    private final OutboxTable table;
    private final Backoff backoff;

    SetTables(OutboxTable table, Backoff backoff) {
        this.table = table;
        this.backoff = backoff;
    }

    /// Takes up to `count` lanes that nobody owns, or somebody who is no member any more.
    List<SetLane> claim(Connection connection, long self, int count) throws SQLException {
        List<SetLane> free = new ArrayList<>();
        String sql =
                """
                SELECT l.lane, l.epoch, l.sequence, l.sending FROM outbox_set_lane l
                LEFT JOIN outbox_set_member m ON m.number = l.owner
                WHERE l.outbox = ? AND m.number IS NULL ORDER BY l.lane LIMIT ?
                """;
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, table.name());
            query.setInt(2, count);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    free.add(lane(row));
                }
            }
        }
        List<SetLane> taken = new ArrayList<>();
        try (PreparedStatement update =
                connection.prepareStatement(
                        "UPDATE outbox_set_lane SET owner = ?, epoch = epoch + 1 WHERE outbox = ? AND lane = ? AND epoch = ?")) {
            for (SetLane lane : free) {
                update.setLong(1, self);
                update.setString(2, table.name());
                update.setInt(3, lane.number());
                update.setLong(4, lane.epoch());
                if (update.executeUpdate() == 1) {
                    taken.add(
                            new SetLane(
                                    lane.number(),
                                    lane.epoch() + 1,
                                    lane.sequence(),
                                    lane.sending()));
                }
            }
        }
        return taken;
    }

    /// The lanes that are ours as the database has them, after a connection was lost. Under a new epoch: what that connection has asked for may still be
    /// on its way, and would set lanes back that have gone on.
    List<SetLane> takeAgain(Connection connection, long self) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement(
                        "UPDATE outbox_set_lane SET epoch = epoch + 1 WHERE outbox = ? AND owner = ?")) {
            update.setString(1, table.name());
            update.setLong(2, self);
            update.executeUpdate();
        }
        return owned(connection, self);
    }

    private List<SetLane> owned(Connection connection, long self) throws SQLException {
        List<SetLane> owned = new ArrayList<>();
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT lane, epoch, sequence, sending FROM outbox_set_lane WHERE outbox = ? AND owner = ?")) {
            query.setString(1, table.name());
            query.setLong(2, self);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    owned.add(lane(row));
                }
            }
        }
        return owned;
    }

    private static SetLane lane(ResultSet row) throws SQLException {
        return SetLane.of(row.getInt(1), row.getLong(2), row.getLong(3), row.getString(4));
    }

    /// @return false if one of them is somebody else's; then nothing may be committed
    boolean save(Connection connection, Collection<SetLane> lanes) throws SQLException {
        return write(connection, "sequence = ?, sending = ?", lanes);
    }

    boolean giveAway(Connection connection, Collection<SetLane> lanes) throws SQLException {
        return write(connection, "sequence = ?, sending = ?, owner = NULL", lanes);
    }

    private boolean write(Connection connection, String what, Collection<SetLane> lanes)
            throws SQLException {
        // Epochs, not owners, decide; and a row that is written as it was counts as not written, so
        // the epoch is asked for first.
        for (SetLane lane : lanes) {
            if (!isOurs(connection, lane)) {
                return false;
            }
        }
        try (PreparedStatement update =
                connection.prepareStatement(
                        "UPDATE outbox_set_lane SET " + what + " WHERE outbox = ? AND lane = ?")) {
            for (SetLane lane : lanes) {
                update.setLong(1, lane.sequence());
                update.setString(2, lane.list());
                update.setString(3, table.name());
                update.setInt(4, lane.number());
                update.addBatch();
            }
            update.executeBatch();
        }
        return true;
    }

    private boolean isOurs(Connection connection, SetLane lane) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT epoch FROM outbox_set_lane WHERE outbox = ? AND lane = ? FOR UPDATE")) {
            query.setString(1, table.name());
            query.setInt(2, lane.number());
            try (ResultSet row = query.executeQuery()) {
                return row.next() && row.getLong(1) == lane.epoch();
            }
        }
    }

    /// Events of these lanes, without aggregates that are parked. Sizes are summed up before any payload is read.
    ///
    /// @param mostBytes ends with the event whose payload exceeds this
    List<Event> read(Connection connection, Collection<Integer> lanes, int most, int mostBytes)
            throws SQLException {
        String some = "lane IN (" + marks(lanes.size()) + ")";
        if (lanes.contains(KEYLESS)) {
            some = "(" + some + " OR lane IS NULL)";
        }
        String sql =
                """
                SELECT {id}, COALESCE(lane, {keyless}), {key}, {headers}, {payload}, TIMESTAMPDIFF(MICROSECOND, created_at, CURRENT_TIMESTAMP(6))
                FROM (
                  SELECT found.place, SUM(found.size) OVER (ORDER BY found.place) - found.size AS bytes_before FROM (
                    SELECT {id} AS place, COALESCE(OCTET_LENGTH({payload}), 0) AS size FROM {table} WHERE {some} AND {aggregate} NOT IN (
                      SELECT {parked} FROM outbox_set_parked WHERE outbox = ? AND next_retry_at > UTC_TIMESTAMP(6))
                    ORDER BY {id} LIMIT ?) found) page
                JOIN {table} ON {id} = page.place WHERE page.bytes_before <= ?
                ORDER BY {id}
                """
                        .replace("{some}", some)
                        .replace("{aggregate}", exactly("{key}"))
                        .replace("{parked}", exactly("aggregate_id"));
        try (PreparedStatement query = connection.prepareStatement(names(sql))) {
            int next = 1;
            for (int lane : lanes) {
                query.setInt(next++, lane);
            }
            query.setString(next++, table.name());
            query.setInt(next++, most);
            query.setInt(next, mostBytes);
            return events(query);
        }
    }

    /// Those of a list that is being sent; some may be gone.
    List<Event> read(Connection connection, List<Long> ids) throws SQLException {
        List<Event> events = new ArrayList<>();
        for (int from = 0; from < ids.size(); from += IDS_AT_ONCE) {
            List<Long> some = ids.subList(from, Math.min(ids.size(), from + IDS_AT_ONCE));
            String sql =
                    "SELECT {id}, COALESCE(lane, {keyless}), {key}, {headers}, {payload}, TIMESTAMPDIFF(MICROSECOND, created_at, CURRENT_TIMESTAMP(6)) FROM {table} WHERE {id} IN ("
                            + marks(some.size())
                            + ")";
            try (PreparedStatement query = connection.prepareStatement(names(sql))) {
                for (int i = 0; i < some.size(); i++) {
                    query.setLong(i + 1, some.get(i));
                }
                events.addAll(events(query));
            }
        }
        return events;
    }

    private static List<Event> events(PreparedStatement query) throws SQLException {
        List<Event> events = new ArrayList<>();
        try (ResultSet row = query.executeQuery()) {
            while (row.next()) {
                Map<String, String> headers = HeadersJson.read(row.getString(4));
                events.add(
                        new Event(
                                row.getLong(1),
                                row.getInt(2),
                                row.getString(1),
                                row.getString(3),
                                headers,
                                payload(row.getString(5)),
                                row.getLong(6)));
            }
        }
        return events;
    }

    private static Event.Payload payload(@Nullable String text) {
        return text == null ? new Event.Payload(null) : Event.Payload.of(text);
    }

    void delete(Connection connection, List<Long> ids) throws SQLException {
        for (int from = 0; from < ids.size(); from += IDS_AT_ONCE) {
            List<Long> some = ids.subList(from, Math.min(ids.size(), from + IDS_AT_ONCE));
            String sql = names("DELETE FROM {table} WHERE {id} IN (" + marks(some.size()) + ")");
            try (PreparedStatement delete = connection.prepareStatement(sql)) {
                for (int i = 0; i < some.size(); i++) {
                    delete.setLong(i + 1, some.get(i));
                }
                delete.executeUpdate();
            }
        }
    }

    /// Once more, and for longer each time.
    void park(Connection connection, String aggregate, String reason) throws SQLException {
        int attempts = 1 + attempts(connection, aggregate);
        String sql =
                """
                REPLACE INTO outbox_set_parked (outbox, aggregate_id, attempts, next_retry_at, last_error)
                VALUES (?, CONVERT(? USING utf8mb4), ?, UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND, ?)
                """;
        try (PreparedStatement replace = connection.prepareStatement(sql)) {
            replace.setString(1, table.name());
            replace.setString(2, aggregate);
            replace.setInt(3, attempts);
            replace.setLong(4, backoff.after(attempts).toMillis() * 1_000);
            replace.setString(5, reason);
            replace.executeUpdate();
        }
    }

    private int attempts(Connection connection, String aggregate) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT attempts FROM outbox_set_parked WHERE outbox = ? AND "
                                + exactly("aggregate_id")
                                + " = "
                                + exactly("?"))) {
            query.setString(1, table.name());
            query.setString(2, aggregate);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getInt(1) : 0;
            }
        }
    }

    void release(Connection connection, Collection<String> aggregates) throws SQLException {
        String sql =
                "DELETE FROM outbox_set_parked WHERE outbox = ? AND "
                        + exactly("aggregate_id")
                        + " IN ("
                        + String.join(",", Collections.nCopies(aggregates.size(), exactly("?")))
                        + ")";
        try (PreparedStatement delete = connection.prepareStatement(sql)) {
            delete.setString(1, table.name());
            int next = 2;
            for (String aggregate : aggregates) {
                delete.setString(next++, aggregate);
            }
            delete.executeUpdate();
        }
    }

    List<String> parked(Connection connection) throws SQLException {
        List<String> parked = new ArrayList<>();
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT CONVERT(aggregate_id USING utf8mb4) FROM outbox_set_parked WHERE outbox = ?")) {
            query.setString(1, table.name());
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    parked.add(row.getString(1));
                }
            }
        }
        return parked;
    }

    /// Never NULL, beside which nothing would be found.
    private static String exactly(String text) {
        return "COALESCE(CAST(CONVERT(" + text + " USING utf8mb4) AS BINARY), '')";
    }

    private static String marks(int count) {
        return String.join(",", Collections.nCopies(count, "?"));
    }

    private String names(String template) {
        return template.replace("{keyless}", Integer.toString(KEYLESS))
                .replace("{table}", table.name())
                .replace("{id}", table.id())
                .replace("{key}", table.key())
                .replace("{headers}", table.headers())
                .replace("{payload}", table.payload());
    }
}
