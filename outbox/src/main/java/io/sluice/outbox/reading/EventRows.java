package io.sluice.outbox.reading;

import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.lanes.Event;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How rows of one event table are asked for and understood; tables differ in their columns.
///
/// Immutable.
final class EventRows {
    private static final String AGE =
            "(extract(epoch FROM clock_timestamp() - created_at) * 1000000)::bigint";

    /// Due events of the lanes in `l`: not visible in what the lane has seen, and visible now, or in what a predecessor has noted.
    /// *Not visible in seen* is exactly "begun after it" or "open in it": a range of the index on (lane, tx), and a place for each open transaction.
    /// OFFSET 0 has each of them looked up by itself. Asked for all at once, they would be looked for among all rows of the lane by a plan that was
    /// made while the table was small.
    private static final String DUE =
            """
            l CROSS JOIN LATERAL (
              SELECT ord, {id}::text AS id, {key}::text AS key, {headers}::text AS headers, {payload} AS payload, {age} AS age, {size} AS size, tx
              FROM {table}
              WHERE outbox_lane_of({key}::text) = l.lane AND tx >= pg_snapshot_xmax(l.seen) AND {wanted}
              UNION ALL
              SELECT once_open.* FROM pg_snapshot_xip(l.seen) AS o (xid) CROSS JOIN LATERAL (
                SELECT ord, {id}::text, {key}::text, {headers}::text, {payload}, {age}, {size}, tx
                FROM {table}
                WHERE outbox_lane_of({key}::text) = l.lane AND tx = o.xid AND {wanted} OFFSET 0
              ) once_open
            ) due
            """;

    /// Asked where rows are found, not of what has been made of them: a page of a few looks at the rows of all that follow.
    private static final String WANTED =
            "ord > l.behind AND (l.bound IS NULL OR pg_visible_in_snapshot(tx, l.bound))";

    private final OutboxTable table;
    private final boolean timed;
    private final boolean binary;
    private final boolean text;
    private final boolean numbersKnown;

    private EventRows(
            OutboxTable table, boolean timed, boolean binary, boolean text, boolean numbersKnown) {
        this.table = table;
        this.timed = timed;
        this.binary = binary;
        this.text = text;
        this.numbersKnown = numbersKnown;
    }

    /// Looks which columns the table has.
    static EventRows of(Connection connection, OutboxTable table) throws SQLException {
        Map<String, String> types = new HashMap<>();
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = ?::regclass AND attnum > 0 AND NOT attisdropped")) {
            query.setString(1, table.name());
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    types.put(row.getString(1), row.getString(2));
                }
            }
        }
        String payload = types.getOrDefault(table.payload(), "text");
        return new EventRows(
                table,
                types.containsKey("created_at"),
                payload.equals("bytea"),
                payload.equals("text") || payload.startsWith("character"),
                mayAskForNumbers(connection, table));
    }

    private static boolean mayAskForNumbers(Connection connection, OutboxTable table)
            throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement(
                        "SELECT has_sequence_privilege(to_regclass(?)::oid, 'SELECT')")) {
            query.setString(1, numbers(table));
            try (ResultSet row = query.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    /// The sequence that `ord` is from.
    private static String numbers(OutboxTable table) {
        return table.name() + "_ord";
    }

    /// Fills in names. `{newest}` is the last number that an event was given, or NULL where that is not ours to know.
    String sql(String template) {
        return template.replace("{due}", DUE)
                .replace("{wanted}", WANTED)
                .replace(
                        "{newest}",
                        numbersKnown
                                ? "(SELECT last_value FROM " + numbers(table) + ")"
                                : "NULL::bigint")
                .replace("{age}", timed ? AGE : "-1::bigint")
                .replace(
                        "{size}",
                        "coalesce("
                                + (text || binary
                                        ? "octet_length({payload})"
                                        : "pg_column_size({payload})")
                                + ", 0)")
                .replace("{table}", table.name())
                .replace("{id}", table.id())
                .replace("{key}", table.key())
                .replace("{headers}", table.headers())
                .replace("{payload}", table.payload());
    }

    /// From columns ord, lane, id, key, headers, payload, age.
    Event event(ResultSet row) throws SQLException {
        return new Event(
                row.getLong(1),
                row.getInt(2),
                row.getString(3),
                row.getString(4),
                HeadersJson.read(row.getString(5)),
                new Event.Payload(binary ? row.getBytes(6) : utf8(row.getString(6))),
                row.getLong(7));
    }

    private static byte @Nullable [] utf8(@Nullable String payload) {
        return payload == null ? null : payload.getBytes(StandardCharsets.UTF_8);
    }
}
