package io.sluice.outbox.reading;

import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.Page;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads the next page of due events of some lanes, with one statement.
///
/// For each lane that is the difference of two snapshots: not visible in the one that the lane has seen, visible now (or, where a
/// predecessor began and did not finish, visible in the snapshot that it wrote down). *Not visible in seen* is exactly "begun after it"
/// or "open in it", two ranges of the index on (lane, tx), so that a transaction that stays open for an hour costs nothing.
/// In the order of `ord`: of two transactions that waited for each other the later one drew the higher number, whichever
/// began first.
///
/// Used by one thread, inside the transaction of the connection it is given.
public final class EventReader {
    private static final int FETCH_ROWS = 1_000;
    private static final String AGE =
            "(extract(epoch FROM clock_timestamp() - created_at) * 1000000)::bigint";

    private final OutboxTable table;
    private final int mostBytes;
    private String sql = "";

    /// @param mostBytes a page ends when its payloads are larger than this
    public EventReader(OutboxTable table, int mostBytes) {
        this.table = table;
        this.mostBytes = mostBytes;
    }

    /// Looks which columns the table has.
    public void connected(Connection connection) throws SQLException {
        boolean timed;
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = ?::regclass AND attname = 'created_at' AND NOT attisdropped)")) {
            query.setString(1, table.name());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                timed = row.getBoolean(1);
            }
        }
        sql = statement(table, timed);
    }

    private static String statement(OutboxTable table, boolean timed) {
        // The first row is the snapshot, in the column of the id: a statement sees exactly what its
        // snapshot shows.
        return """
                WITH cut AS MATERIALIZED (SELECT pg_current_snapshot() AS snapshot),
                lanes AS (
                  SELECT * FROM unnest(?::int[], ?::text[]::pg_snapshot[], ?::text[]::pg_snapshot[], ?::bigint[])
                    AS l (lane, seen, bound, position))
                SELECT NULL AS ord, NULL AS lane, cut.snapshot::text AS id, NULL AS key, NULL AS headers, NULL AS payload, NULL AS age FROM cut
                UNION ALL
                SELECT * FROM (
                  SELECT due.ord, l.lane, due.id, due.key, due.headers, due.payload, due.age
                  FROM cut CROSS JOIN lanes l CROSS JOIN LATERAL (
                    SELECT ord, {id}::text AS id, {key}::text AS key, {headers}::text AS headers, {payload} AS payload, {age} AS age, tx
                    FROM {table}
                    WHERE outbox_lane_of({key}::text) = l.lane AND tx >= pg_snapshot_xmax(l.seen)
                    UNION ALL
                    SELECT ord, {id}::text, {key}::text, {headers}::text, {payload}, {age}, tx
                    FROM {table}
                    WHERE outbox_lane_of({key}::text) = l.lane AND tx = ANY (ARRAY(SELECT pg_snapshot_xip(l.seen)))
                  ) due
                  WHERE due.ord > l.position
                    AND (l.bound IS NULL OR pg_visible_in_snapshot(due.tx, l.bound))
                  ORDER BY due.ord LIMIT ?) page
                ORDER BY ord NULLS FIRST
                """
                .replace("{age}", timed ? AGE : "-1::bigint")
                .replace("{table}", table.name())
                .replace("{id}", table.id())
                .replace("{key}", table.key())
                .replace("{headers}", table.headers())
                .replace("{payload}", table.payload());
    }

    public Page read(Connection connection, Collection<Lane> lanes, int rows) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setArray(
                    1,
                    connection.createArrayOf("int4", lanes.stream().map(Lane::number).toArray()));
            query.setArray(
                    2,
                    connection.createArrayOf(
                            "text", lanes.stream().map(lane -> lane.cursor().seen()).toArray()));
            query.setArray(
                    3,
                    connection.createArrayOf(
                            "text", lanes.stream().map(lane -> lane.cursor().bound()).toArray()));
            query.setArray(
                    4,
                    connection.createArrayOf(
                            "int8",
                            lanes.stream().map(lane -> lane.cursor().position()).toArray()));
            query.setInt(5, rows);
            query.setFetchSize(FETCH_ROWS); // So that a page of large events does not fill memory.
            try (ResultSet row = query.executeQuery()) {
                return page(row, rows);
            }
        }
    }

    private Page page(ResultSet row, int rows) throws SQLException {
        if (!row.next()) {
            throw new SQLException("the database did not tell its snapshot");
        }
        String snapshot = row.getString(3);
        boolean binary = row.getMetaData().getColumnTypeName(6).equals("bytea");
        List<Event> events = new ArrayList<>();
        long bytes = 0;
        while (bytes <= mostBytes && row.next()) {
            byte[] payload = binary ? bytes(row.getBytes(6)) : utf8(row.getString(6));
            bytes += payload.length;
            events.add(
                    new Event(
                            row.getLong(1),
                            row.getInt(2),
                            row.getString(3),
                            row.getString(4),
                            HeadersJson.read(row.getString(5)),
                            new Event.Payload(payload),
                            row.getLong(7)));
        }
        return new Page(snapshot, events, bytes <= mostBytes && events.size() < rows);
    }

    private static byte[] bytes(byte @Nullable [] payload) {
        return payload == null ? new byte[0] : payload;
    }

    private static byte[] utf8(@Nullable String payload) {
        return payload == null ? new byte[0] : payload.getBytes(StandardCharsets.UTF_8);
    }
}
