package io.sluice.outbox.parking;

import io.sluice.outbox.lanes.Backoff;
import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.reading.HeadersJson;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The table of parked events. Written only by the owner of their lane, in a transaction that has checked the lane's epoch.
///
/// Immutable; used by the publishing thread, inside the transaction of the connection it is given.
public final class ParkingLot {
    private static final int MOST_AT_ONCE = 1_000;

    private static final String DUE =
            """
            SELECT p.ord, p.lane, p.event_id, p.aggregate_id, p.headers, p.payload, p.attempts, p.sequence
            FROM outbox_parked p
            JOIN (SELECT DISTINCT ON (lane, aggregate_id) lane, aggregate_id, next_retry_at, state
                  FROM outbox_parked WHERE outbox = ? AND lane = ANY (?)
                  ORDER BY lane, aggregate_id, ord) head USING (lane, aggregate_id)
            WHERE p.outbox = ? AND head.state <> 'DEAD_LETTER' AND (head.next_retry_at <= clock_timestamp() OR p.sequence IS NOT NULL)
            ORDER BY p.ord LIMIT ?
            """;

    private final String outbox;
    private final Backoff backoff;

    public ParkingLot(String outbox, Backoff backoff) {
        this.outbox = outbox;
        this.backoff = backoff;
    }

    /// The keys of these lanes that have parked events, each with its lane.
    public Map<String, Integer> keys(Connection connection, Collection<Integer> lanes)
            throws SQLException {
        Map<String, Integer> keys = new HashMap<>();
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT DISTINCT aggregate_id, lane FROM outbox_parked WHERE outbox = ? AND lane = ANY (?)")) {
            query.setString(1, outbox);
            query.setArray(2, connection.createArrayOf("int4", lanes.toArray()));
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    keys.put(row.getString(1), row.getInt(2));
                }
            }
        }
        return keys;
    }

    /// Those of these lanes that have parked events with a number: a retry that has begun.
    public Set<Integer> numbered(Connection connection, Collection<Integer> lanes)
            throws SQLException {
        Set<Integer> numbered = new HashSet<>();
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT DISTINCT lane FROM outbox_parked WHERE outbox = ? AND lane = ANY (?) AND sequence IS NOT NULL")) {
            query.setString(1, outbox);
            query.setArray(2, connection.createArrayOf("int4", lanes.toArray()));
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    numbered.add(row.getInt(1));
                }
            }
        }
        return numbered;
    }

    public void park(Connection connection, Event event, String reason) throws SQLException {
        insert(connection, List.of(event), "FAILED", 1, reason);
    }

    /// Behind a parked event of the same key.
    public void waitBehind(Connection connection, Collection<Numbered> events) throws SQLException {
        List<Event> waiting = events.stream().map(Numbered::event).toList();
        insert(connection, waiting, "WAITING", 0, "");
    }

    private void insert(
            Connection connection,
            Collection<Event> events,
            String state,
            int attempts,
            String reason)
            throws SQLException {
        String sql =
                """
                INSERT INTO outbox_parked
                  (outbox, lane, aggregate_id, ord, event_id, headers, payload, state, attempts, last_error, next_retry_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, clock_timestamp() + ? * interval '1 millisecond')
                ON CONFLICT DO NOTHING
                """;
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            for (Event event : events) {
                insert.setString(1, outbox);
                insert.setInt(2, event.lane());
                insert.setString(3, event.key());
                insert.setLong(4, event.ord());
                insert.setString(5, event.id());
                insert.setString(6, HeadersJson.write(event.headers()));
                insert.setBytes(7, event.payload().bytes());
                insert.setString(8, state);
                insert.setInt(9, attempts);
                insert.setString(10, reason);
                insert.setLong(11, backoff.after(attempts).toMillis());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    /// Events of these lanes whose time has come, or whose retry somebody began and did not finish.
    public List<ParkedEvent> due(Connection connection, Collection<Integer> lanes)
            throws SQLException {
        List<ParkedEvent> due = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(DUE)) {
            query.setString(1, outbox);
            query.setArray(2, connection.createArrayOf("int4", lanes.toArray()));
            query.setString(3, outbox);
            query.setInt(4, MOST_AT_ONCE);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    Event event =
                            new Event(
                                    row.getLong(1),
                                    row.getInt(2),
                                    row.getString(3),
                                    row.getString(4),
                                    HeadersJson.read(row.getString(5)),
                                    new Event.Payload(row.getBytes(6)),
                                    Event.UNKNOWN_AGE);
                    long sequence = row.getLong(8);
                    Long given = row.wasNull() ? null : sequence;
                    due.add(new ParkedEvent(event, row.getInt(7), given));
                }
            }
        }
        return due;
    }

    /// Notes the numbers with which a retry is about to be sent.
    public void number(Connection connection, Collection<Numbered> events) throws SQLException {
        update(
                connection,
                "UPDATE outbox_parked SET sequence = ? WHERE outbox = ? AND lane = ? AND aggregate_id = ? AND ord = ?",
                events);
    }

    private void update(Connection connection, String sql, Collection<Numbered> events)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            for (Numbered numbered : events) {
                update.setLong(1, numbered.sequence());
                locate(update, 2, numbered.event());
                update.addBatch();
            }
            update.executeBatch();
        }
    }

    /// Sent events leave.
    public void settle(Connection connection, Retry retry) throws SQLException {
        try (PreparedStatement delete =
                connection.prepareStatement(
                        "DELETE FROM outbox_parked WHERE outbox = ? AND lane = ? AND aggregate_id = ? AND ord = ?")) {
            for (ParkedEvent parked : retry.sent()) {
                locate(delete, 1, parked.event());
                delete.addBatch();
            }
            delete.executeBatch();
        }
    }

    /// Before anything with a higher number is sent: otherwise whoever finds the number still here would send the event with it again,
    /// and consumers have passed it.
    public void refusedAgain(Connection connection, ParkedEvent parked, String reason)
            throws SQLException {
        int attempts = parked.attempts() + 1;
        Event event = parked.event();
        try (PreparedStatement update =
                        connection.prepareStatement(
                                """
                                UPDATE outbox_parked SET state = 'FAILED', attempts = ?, last_error = ?,
                                  next_retry_at = clock_timestamp() + ? * interval '1 millisecond'
                                WHERE outbox = ? AND lane = ? AND aggregate_id = ? AND ord = ?
                                """);
                PreparedStatement takeBack =
                        connection.prepareStatement(
                                "UPDATE outbox_parked SET sequence = NULL WHERE outbox = ? AND lane = ? AND aggregate_id = ?")) {
            update.setInt(1, attempts);
            update.setString(2, reason);
            update.setLong(3, backoff.after(attempts).toMillis());
            locate(update, 4, event);
            update.executeUpdate();
            takeBack.setString(1, outbox);
            takeBack.setInt(2, event.lane());
            takeBack.setString(3, event.key());
            takeBack.executeUpdate();
        }
    }

    private void locate(PreparedStatement statement, int from, Event event) throws SQLException {
        statement.setString(from, outbox);
        statement.setInt(from + 1, event.lane());
        statement.setString(from + 2, event.key());
        statement.setLong(from + 3, event.ord());
    }
}
