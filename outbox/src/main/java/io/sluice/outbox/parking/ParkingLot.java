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
import java.util.Objects;
import java.util.Set;

/// The table of parked events. Written only by the owner of their lane, in a transaction that has checked the lane's epoch.
///
/// Immutable; used by the publishing thread, inside the transaction of the connection it is given.
public final class ParkingLot {
    private static final int MOST_AT_ONCE = 1_000;
    private static final byte[] NOTHING = {};

    /// Those with a number first: were one of them left out for its place, others of its lane would get higher numbers, and consumers would take it
    /// for a repetition when it comes.
    private static final String DUE =
            """
            SELECT ord, lane, event_id, aggregate_id, headers, payload, attempts, sequence FROM (
              SELECT due.*, sum(octet_length(payload)) OVER (ORDER BY sequence NULLS LAST, ord) - octet_length(payload) AS bytes_before FROM (
                SELECT p.ord, p.lane, p.event_id, p.aggregate_id, p.headers, p.payload, p.attempts, p.sequence
                FROM outbox_parked p
                JOIN (SELECT DISTINCT ON (lane, aggregate_id) lane, aggregate_id, next_retry_at, state
                      FROM outbox_parked WHERE outbox = ? AND lane = ANY (?)
                      ORDER BY lane, aggregate_id, ord) head USING (lane, aggregate_id)
                WHERE p.outbox = ? AND head.state <> 'DEAD_LETTER' AND (head.next_retry_at <= clock_timestamp() OR p.sequence IS NOT NULL)
                ORDER BY p.sequence NULLS LAST, p.ord LIMIT ?) due) sized
            WHERE bytes_before <= ?
            ORDER BY sequence NULLS LAST, ord
            """;

    private final String outbox;
    private final Backoff backoff;
    private final int mostBytes;

    /// @param mostBytes a retry ends with the event whose payload exceeds this
    public ParkingLot(String outbox, Backoff backoff, int mostBytes) {
        this.outbox = outbox;
        this.backoff = backoff;
        this.mostBytes = mostBytes;
    }

    /// The keys of these lanes that have parked events.
    public Map<String, ParkedKey> keys(Connection connection, Collection<Integer> lanes)
            throws SQLException {
        Map<String, ParkedKey> keys = new HashMap<>();
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT aggregate_id, lane, min(ord) FROM outbox_parked WHERE outbox = ? AND lane = ANY (?) GROUP BY aggregate_id, lane")) {
            query.setString(1, outbox);
            query.setArray(2, connection.createArrayOf("int4", lanes.toArray()));
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    keys.put(row.getString(1), new ParkedKey(row.getInt(2), row.getLong(3)));
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
                insert.setString(6, HeadersJson.write(AbsentParts.noted(event)));
                insert.setBytes(7, Objects.requireNonNullElse(event.payload().bytes(), NOTHING));
                insert.setString(8, state);
                insert.setInt(9, attempts);
                insert.setString(10, reason);
                insert.setLong(11, backoff.after(attempts).toMillis());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    /// Events of these lanes whose time has come, or whose retry somebody began and did not finish: these first, in the order of their numbers, then
    /// the others in that of their places.
    public List<ParkedEvent> due(Connection connection, Collection<Integer> lanes)
            throws SQLException {
        List<ParkedEvent> due = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(DUE)) {
            query.setString(1, outbox);
            query.setArray(2, connection.createArrayOf("int4", lanes.toArray()));
            query.setString(3, outbox);
            query.setInt(4, MOST_AT_ONCE);
            query.setInt(5, mostBytes);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    Event event = event(row);
                    long sequence = row.getLong(8);
                    Long given = row.wasNull() ? null : sequence;
                    due.add(new ParkedEvent(event, row.getInt(7), given));
                }
            }
        }
        return due;
    }

    private static Event event(ResultSet row) throws SQLException {
        Map<String, String> noted = HeadersJson.read(row.getString(5));
        return new Event(
                row.getLong(1),
                row.getInt(2),
                row.getString(3),
                row.getString(4),
                AbsentParts.headers(noted),
                new Event.Payload(AbsentParts.isWithoutPayload(noted) ? null : row.getBytes(6)),
                Event.UNKNOWN_AGE,
                AbsentParts.isKeyless(noted));
    }

    /// Notes the numbers with which a retry is about to be sent.
    ///
    /// @return one event of each key that must not be sent: since it was read, somebody has given one of its events up, or is sending it elsewhere.
    ///     Nothing of such a key has a number now
    public List<Event> number(Connection connection, List<Numbered> events) throws SQLException {
        Map<String, Event> changed = new HashMap<>();
        try (PreparedStatement update =
                connection.prepareStatement(
                        "UPDATE outbox_parked SET sequence = ? WHERE outbox = ? AND lane = ? AND aggregate_id = ? AND ord = ? AND state <> 'DEAD_LETTER'")) {
            for (Numbered numbered : events) {
                update.setLong(1, numbered.sequence());
                locate(update, 2, numbered.event());
                update.addBatch();
            }
            int[] counts = update.executeBatch();
            for (int i = 0; i < counts.length; i++) {
                Event event = events.get(i).event();
                if (counts[i] == 0) {
                    changed.put(event.key(), event);
                }
            }
        }
        for (Event event : changed.values()) {
            takeNumbersBack(connection, event, Long.MIN_VALUE);
        }
        return List.copyOf(changed.values());
    }

    private void takeNumbersBack(Connection connection, Event event, long fromOrd)
            throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement(
                        "UPDATE outbox_parked SET sequence = NULL WHERE outbox = ? AND lane = ? AND aggregate_id = ? AND ord >= ?")) {
            update.setString(1, outbox);
            update.setInt(2, event.lane());
            update.setString(3, event.key());
            update.setLong(4, fromOrd);
            update.executeUpdate();
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
    /// and consumers have passed it. What stands before it in its key keeps its number: it is sent, or perhaps sent, and with another one it would come
    /// twice.
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
                        """)) {
            update.setInt(1, attempts);
            update.setString(2, reason);
            update.setLong(3, backoff.after(attempts).toMillis());
            locate(update, 4, event);
            update.executeUpdate();
        }
        takeNumbersBack(connection, event, event.ord());
    }

    private void locate(PreparedStatement statement, int from, Event event) throws SQLException {
        statement.setString(from, outbox);
        statement.setInt(from + 1, event.lane());
        statement.setString(from + 2, event.key());
        statement.setLong(from + 3, event.ord());
    }
}
