package io.sluice.outbox.reading;

import io.sluice.outbox.BoundedSessions;
import io.sluice.outbox.OutboxTable;
import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.Page;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads the next page of due events of some lanes, and in the same statement saves what the rounds before have done and that this page
/// is about to be sent: one way to the database and back, one commit, per page.
///
/// For each lane a page is from the difference of two snapshots: not visible in the one that the lane has seen, visible now (or, where a
/// predecessor began and did not finish, visible in the snapshot that it wrote down). A transaction that stays open for an hour
/// costs nothing. In the order of `ord`: of two transactions that waited for each other the later one drew the higher number,
/// whichever began first.
///
/// Used by one thread, on a connection in auto-commit mode.
public final class EventReader {
    private static final String READ =
            """
            WITH cut AS MATERIALIZED (SELECT pg_current_snapshot() AS snapshot),
            l AS MATERIALIZED (SELECT * FROM {lanes}),
            found AS MATERIALIZED (
              SELECT due.ord, l.lane, due.id, due.key, due.headers, due.payload, due.age, due.size
              FROM {due} ORDER BY due.ord LIMIT ?),
            page AS MATERIALIZED (
              SELECT * FROM (SELECT found.*, sum(size) OVER (ORDER BY ord) - size AS before FROM found) sized WHERE before <= ?),
            saved AS (
              UPDATE outbox_lane o
              SET seen = l.seen, position = l.position, sequence = l.sequence,
                bound = CASE WHEN l.bound IS NULL AND l.lane IN (SELECT lane FROM page) THEN cut.snapshot ELSE l.bound END
              FROM l, cut
              WHERE o.outbox = ? AND o.owner = ? AND o.lane = l.lane AND o.epoch = l.epoch
                AND (l.unsaved OR (l.bound IS NULL AND l.lane IN (SELECT lane FROM page)))
              RETURNING o.lane)
            SELECT NULL::bigint AS ord, (SELECT count(*) FROM found)::int AS lane, cut.snapshot::text AS id,
              (SELECT string_agg(lane::text, ',') FROM saved) AS key,
              (SELECT string_agg(l.lane::text, ',') FROM l LEFT JOIN outbox_lane o ON o.outbox = ? AND o.lane = l.lane
                WHERE o.owner IS DISTINCT FROM ? OR o.epoch IS DISTINCT FROM l.epoch) AS headers, NULL AS payload,
              CASE WHEN (SELECT count(*) FROM found) = ? AND coalesce({newest} - (SELECT max(ord) FROM found) > ?, true)
                THEN (SELECT count(*) FROM (SELECT FROM {due} LIMIT ?) waiting) END AS age FROM cut
            UNION ALL
            SELECT ord, lane, id, key, headers, payload, age FROM page
            ORDER BY ord NULLS FIRST
            """;

    /// The database stops by itself when patience ends, or it would go on with what nobody waits for. A host that is lost does not even say that.
    private static final Duration TO_STOP = Duration.ofSeconds(5);

    /// So many pages, and so many rows, are sorted again for each page faster than they are put aside.
    private static final int FEW_PAGES = 8;

    private static final int FEW_ROWS = 8_000;

    private static final String DUE = "SELECT EXISTS (SELECT FROM {lanes-of} {due})";

    private final OutboxTable table;
    private final Patience patience = new Patience(Duration.ofSeconds(30));
    private @Nullable EventRows rows;
    private String sql = "";
    private String dueSql = "";
    private long waiting; // Of what was counted last, not read yet.

    /// What a reading found.
    ///
    /// @param lost lanes that turned out to be somebody else's
    /// @param large whether there are so many more that they should be sorted once for all, not again for each page
    public record Reading(Page page, Set<Integer> lost, boolean large) {
        public Reading {
            lost = Set.copyOf(lost);
        }
    }

    public EventReader(OutboxTable table) {
        this.table = table;
    }

    /// To plan the reading takes ten times as long as to do it, so one plan serves for all. It must not be one that reads the whole table for each
    /// lane, which the database would choose while an outbox is new and its table empty.
    public void connected(Connection connection) throws SQLException {
        try (Statement set = connection.createStatement()) {
            set.execute("SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off");
        }
        waiting = 0;
        EventRows known = EventRows.of(connection, table);
        rows = known;
        sql = known.sql(READ.replace("{lanes}", LaneArrays.UNNESTED));
        dueSql =
                known.sql(DUE.replace("{lanes-of}", "(SELECT * FROM " + LaneArrays.UNNESTED + ")"));
    }

    EventRows rows() {
        if (rows == null) {
            throw new IllegalStateException("not connected");
        }
        return rows;
    }

    /// How long the next reading may take.
    public Duration patience() {
        return patience.now().plus(TO_STOP);
    }

    /// Opens the lanes that have events in the page, and notes what is saved.
    public Reading read(Connection connection, long self, Collection<Lane> lanes, Stretch stretch)
            throws SQLException {
        Duration longest = patience.now();
        try {
            Reading reading =
                    BoundedSessions.within(
                            connection,
                            longest.plus(TO_STOP),
                            () -> read(connection, self, lanes, stretch, longest));
            patience.rewarded();
            return reading;
        } catch (SQLException e) {
            patience.exhausted();
            throw e;
        }
    }

    private Reading read(
            Connection connection,
            long self,
            Collection<Lane> lanes,
            Stretch stretch,
            Duration longest)
            throws SQLException {
        int most = stretch.rows();
        Set<Integer> expected = new HashSet<>();
        lanes.stream().filter(Lane::isUnsaved).forEach(lane -> expected.add(lane.number()));
        Page page;
        Set<Integer> saved;
        Set<Integer> others;
        boolean large;
        long few = Math.max(most, Math.min((long) FEW_PAGES * most, FEW_ROWS));
        // To count takes nearly as long as to read: not again before what was counted has come. And
        // not where so many numbers have not been given since the last event of the page.
        boolean counts = waiting < most;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setQueryTimeout((int) longest.toSeconds());
            int next = new LaneArrays(connection, lanes, stretch.behind()).bind(statement);
            statement.setInt(next, most);
            statement.setInt(next + 1, stretch.bytes());
            statement.setString(next + 2, table.name());
            statement.setLong(next + 3, self);
            statement.setString(next + 4, table.name());
            statement.setLong(next + 5, self);
            statement.setInt(next + 6, most);
            statement.setLong(next + 7, few);
            statement.setLong(next + 8, counts ? few + 1 : 0);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException("the database did not tell its snapshot");
                }
                int found = row.getInt(2);
                String snapshot = row.getString(3);
                saved = numbers(row.getString(4));
                others = numbers(row.getString(5));
                large = row.getLong(7) > few;
                waiting = Math.max(0, (counts ? row.getLong(7) : waiting) - most);
                List<Event> events = new ArrayList<>();
                while (row.next()) {
                    events.add(rows().event(row));
                }
                page = new Page(snapshot, events, found < most && events.size() == found);
            }
        }
        note(page, lanes, expected, saved);
        expected.removeAll(saved);
        expected.addAll(others);
        return new Reading(page, expected, large);
    }

    private static void note(
            Page page, Collection<Lane> lanes, Set<Integer> expected, Set<Integer> saved) {
        Set<Integer> withEvents = new HashSet<>();
        page.events().forEach(event -> withEvents.add(event.lane()));
        for (Lane lane : lanes) {
            if (withEvents.contains(lane.number()) && !lane.cursor().isOpen()) {
                lane.open(page.snapshot());
                expected.add(lane.number());
            }
            if (saved.contains(lane.number())) {
                lane.saved();
            }
        }
    }

    private static Set<Integer> numbers(@Nullable String list) {
        Set<Integer> numbers = new HashSet<>();
        if (list != null) {
            for (String number : list.split(",")) {
                numbers.add(Integer.valueOf(number));
            }
        }
        return numbers;
    }

    /// A statement that says whether anything is due; see [#bindDue].
    public String dueSql() {
        return dueSql;
    }

    public void bindDue(Connection connection, PreparedStatement statement, Collection<Lane> lanes)
            throws SQLException {
        new LaneArrays(connection, lanes, lane -> lane.cursor().position()).bind(statement);
    }
}
