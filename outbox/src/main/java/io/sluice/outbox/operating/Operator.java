package io.sluice.outbox.operating;

import io.sluice.outbox.ConnectionSource;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.compat.CompatRelay;
import io.sluice.outbox.compat.Seat;
import io.sluice.outbox.lanes.Mode;
import io.sluice.outbox.membership.Destination;
import io.sluice.outbox.membership.Members;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Looks at an outbox: its members and lanes, or instances and parts, and what waits. Changes nothing.
///
/// Immutable. Every call opens a connection of its own.
public final class Operator {
    private static final String COMPAT = Mode.COMPAT.word();
    private static final int COUNTED = 100_000;

    private final ConnectionSource database;
    private final OutboxTable table;

    private Operator(ConnectionSource database, OutboxTable table) {
        this.database = database;
        this.table = table;
    }

    public static Operator of(ConnectionSource database, OutboxTable table) {
        return new Operator(database, table);
    }

    /// Parked events: list, retry, skip, send elsewhere.
    public ParkedEvents parked() {
        return new ParkedEvents(database, table);
    }

    public Summary summary() throws SQLException {
        try (Connection connection = database.open()) {
            Columns columns = Columns.of(connection, table);
            if (!columns.hasLogMode()) {
                return compatOnly(connection, columns);
            }
            List<LaneState> lanes = lanes(connection, columns);
            long waiting = count(connection, waitingSql());
            String mode = mode(connection);
            List<Seat> seats =
                    mode.equals(COMPAT) ? CompatRelay.seats(connection, table) : List.of();
            Duration oldest =
                    lanes.stream()
                            .map(LaneState::oldest)
                            .filter(age -> age != null)
                            .max(Duration::compareTo)
                            .orElse(null);
            return new Summary(
                    table.name(),
                    mode,
                    mode.equals(COMPAT) ? seats.size() : relays(connection),
                    lanes.size(),
                    (int) lanes.stream().filter(lane -> !lane.isCovered()).count(),
                    Math.min(waiting, COUNTED),
                    waiting <= COUNTED,
                    oldest,
                    columns.hasStatus() ? count(connection, pendingSql()) : 0,
                    count(
                            connection,
                            "SELECT count(DISTINCT (lane, aggregate_id)) FROM outbox_parked WHERE outbox = ?"),
                    count(connection, "SELECT count(*) FROM outbox_parked WHERE outbox = ?"),
                    destinations(connection),
                    Summary.totals(seats));
        }
    }

    /// Of relays that are alive and say where they publish to.
    private int destinations(Connection connection) throws SQLException {
        return Members.tellDestinations(connection)
                ? (int)
                        count(
                                connection,
                                "SELECT count(DISTINCT (topic, guarantee)) FROM outbox_member WHERE outbox = ? AND until >= clock_timestamp() AND topic IS NOT NULL")
                : 0;
    }

    /// Those of log and wal mode: they do nothing in compat mode.
    private int relays(Connection connection) throws SQLException {
        return (int)
                count(
                        connection,
                        "SELECT count(*) FROM outbox_member WHERE outbox = ? AND until >= clock_timestamp()");
    }

    private Summary compatOnly(Connection connection, Columns columns) throws SQLException {
        long pending = columns.hasStatus() ? count(connection, pendingSql()) : 0;
        List<Seat> seats = CompatRelay.seats(connection, table);
        int totals = Summary.totals(seats);
        return new Summary(
                table.name(), COMPAT, seats.size(), 0, 0, 0, true, null, pending, 0, 0, 0, totals);
    }

    private String pendingSql() {
        return "SELECT count(*) FROM %s WHERE status IN ('PENDING', 'SENDING') AND ?::text IS NOT NULL"
                .formatted(table.name());
    }

    /// Visible now, and not in the snapshot that its lane has seen; of a difference that is being published, what is left of it.
    private String waitingSql() {
        return """
                SELECT count(*) FROM (
                  SELECT FROM outbox_lane l JOIN {table} e ON outbox_lane_of(e.{key}::text) = l.lane
                  WHERE l.outbox = ? AND e.ord IS NOT NULL AND e.ord > l.position
                    AND (e.tx >= pg_snapshot_xmax(l.seen) OR e.tx = ANY (ARRAY(SELECT pg_snapshot_xip(l.seen))))
                    AND NOT EXISTS (SELECT FROM outbox_parked p WHERE p.outbox = l.outbox AND p.lane = l.lane
                      AND p.aggregate_id = coalesce(e.{key}::text, '') AND p.ord = e.ord)
                  LIMIT {limit}) waiting
                """
                .replace("{limit}", Integer.toString(COUNTED + 1))
                .replace("{table}", table.name())
                .replace("{key}", table.key());
    }

    private String mode(Connection connection) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT mode FROM outbox_source WHERE outbox = ?")) {
            query.setString(1, table.name());
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getString(1) : "log";
            }
        }
    }

    /// Whether new rows are compat mode's: then instances have parts, and lanes are nobody's.
    public boolean isCompat() throws SQLException {
        try (Connection connection = database.open()) {
            return !Columns.of(connection, table).hasLogMode() || mode(connection).equals(COMPAT);
        }
    }

    /// The relays of compat mode, which runs without any table beside the events'. In log mode they publish what was written before.
    public List<Seat> instances() throws SQLException {
        try (Connection connection = database.open()) {
            Columns.of(connection, table); // Says which table is not there.
            return CompatRelay.seats(connection, table);
        }
    }

    /// The relays of log and wal mode; none where there is no table for them.
    public List<Member> members() throws SQLException {
        String sql =
                """
                SELECT m.number, m.name, m.joined_at, (extract(epoch FROM m.until - clock_timestamp()) * 1000)::bigint,
                  coalesce((SELECT string_agg(l.lane::text, ',' ORDER BY l.lane) FROM outbox_lane l
                            WHERE l.outbox = m.outbox AND l.owner = m.number), ''), {destination}
                FROM outbox_member m WHERE m.outbox = ? ORDER BY m.number
                """;
        List<Member> members = new ArrayList<>();
        try (Connection connection = database.open()) {
            if (!Columns.of(connection, table).hasLogMode()) {
                return members;
            }
            boolean told = Members.tellDestinations(connection);
            String columns = told ? "m.topic, m.guarantee" : "NULL, NULL";
            try (PreparedStatement query =
                    connection.prepareStatement(sql.replace("{destination}", columns))) {
                query.setString(1, table.name());
                try (ResultSet row = query.executeQuery()) {
                    while (row.next()) {
                        members.add(member(row));
                    }
                }
            }
        }
        return members;
    }

    private static Member member(ResultSet row) throws SQLException {
        String topic = row.getString(6);
        String guarantee = row.getString(7);
        return new Member(
                row.getLong(1),
                row.getString(2),
                row.getTimestamp(3).toInstant(),
                Duration.ofMillis(row.getLong(4)),
                numbers(row.getString(5)),
                topic == null || guarantee == null ? null : new Destination(topic, guarantee));
    }

    private static List<Integer> numbers(String list) {
        return list.isEmpty()
                ? List.of()
                : List.of(list.split(",")).stream().map(Integer::valueOf).toList();
    }

    /// None where there is no table for them.
    public List<LaneState> lanes() throws SQLException {
        try (Connection connection = database.open()) {
            Columns columns = Columns.of(connection, table);
            return columns.hasLogMode() ? lanes(connection, columns) : List.of();
        }
    }

    private List<LaneState> lanes(Connection connection, Columns columns) throws SQLException {
        // The oldest by transaction is found with the index; the oldest by time would take a look
        // at all that waits.
        String sql =
                """
                SELECT l.lane, l.owner, m.name, l.epoch, l.sequence, (extract(epoch FROM clock_timestamp() - oldest.at) * 1000)::bigint,
                  (SELECT count(DISTINCT p.aggregate_id) FROM outbox_parked p WHERE p.outbox = l.outbox AND p.lane = l.lane)
                FROM outbox_lane l LEFT JOIN outbox_member m ON m.number = l.owner AND m.until >= clock_timestamp()
                LEFT JOIN LATERAL (
                  SELECT min(at) AS at FROM (
                    (SELECT {at} AS at FROM {table} e WHERE outbox_lane_of(e.{key}::text) = l.lane AND e.ord > l.position
                       AND e.tx >= pg_snapshot_xmax(l.seen) ORDER BY e.tx LIMIT 1)
                    UNION ALL
                    (SELECT {at} FROM {table} e WHERE outbox_lane_of(e.{key}::text) = l.lane AND e.ord > l.position
                       AND e.tx = ANY (ARRAY(SELECT pg_snapshot_xip(l.seen))) ORDER BY e.tx LIMIT 1)) first) oldest ON true
                WHERE l.outbox = ? ORDER BY l.lane
                """
                        .replace(
                                "{at}",
                                columns.hasCreatedAt() ? "e.created_at" : "NULL::timestamptz")
                        .replace("{table}", table.name())
                        .replace("{key}", table.key());
        List<LaneState> lanes = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, table.name());
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    lanes.add(lane(row));
                }
            }
        }
        return lanes;
    }

    private static LaneState lane(ResultSet row) throws SQLException {
        long owner = row.getLong(2);
        @Nullable Long known = row.wasNull() ? null : owner;
        long age = row.getLong(6);
        @Nullable Duration oldest = row.wasNull() ? null : Duration.ofMillis(age);
        return new LaneState(
                row.getInt(1),
                known,
                row.getString(3),
                row.getLong(4),
                row.getLong(5),
                oldest,
                row.getInt(7));
    }

    private long count(Connection connection, String sql) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, table.name());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    static Instant instant(ResultSet row, int column) throws SQLException {
        return row.getTimestamp(column).toInstant();
    }
}
