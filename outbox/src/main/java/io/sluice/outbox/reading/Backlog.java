package io.sluice.outbox.reading;

import io.sluice.outbox.BoundedSessions;
import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.Page;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// Many waiting events, sorted once by the database and then fetched piece by piece: a page of a million costs no more than a page of a
/// thousand, and no more memory here.
///
/// The database keeps the sorted rest aside (a cursor that outlives its transaction), so it shows one snapshot however long publishing
/// takes. Whenever the lanes change, or something of a page was left, it is closed, and reading begins again.
///
/// Used by one thread, on a connection in auto-commit mode.
public final class Backlog {
    /// The database stops by itself when patience ends; see [EventReader].
    private static final String SNAPSHOT =
            "SELECT pg_current_snapshot()::text, set_config('statement_timeout', '";

    private static final Duration TO_STOP = Duration.ofSeconds(5);

    private static final String DECLARE =
            """
            DECLARE outbox_backlog NO SCROLL CURSOR WITH HOLD FOR
            SELECT due.ord, l.lane, due.id, due.key, due.headers, due.payload, due.age
            FROM (SELECT * FROM {lanes}) {due}
            ORDER BY due.ord
            """;

    private final EventReader reader;
    private final FetchSize size = new FetchSize();
    private final Patience patience = new Patience(BoundedSessions.UNHURRIED);
    private List<Long> epochs = List.of();
    private String snapshot = "";
    private boolean open;

    public Backlog(EventReader reader) {
        this.reader = reader;
    }

    /// A new session has no cursor.
    public void connected() {
        open = false;
    }

    public boolean isOpen() {
        return open;
    }

    /// What stands before the backlog is a measure of what is in it.
    public void expect(Page like) {
        size.came(like.events());
    }

    /// Whether what it still has is what these lanes wait for.
    public boolean isOf(Collection<Lane> lanes) {
        return open && epochs.equals(epochs(lanes));
    }

    private static List<Long> epochs(Collection<Lane> lanes) {
        List<Long> epochs = new ArrayList<>();
        lanes.forEach(lane -> epochs.add(((long) lane.number() << 40) + lane.epoch()));
        return epochs;
    }

    /// How long it may take to put a backlog aside.
    public Duration patience() {
        return patience.now();
    }

    public void open(Connection connection, Collection<Lane> lanes) throws SQLException {
        close(connection);
        try {
            putAside(connection, lanes);
            patience.rewarded();
        } catch (SQLException e) {
            patience.exhausted();
            throw e;
        }
        epochs = epochs(lanes);
    }

    private void putAside(Connection connection, Collection<Lane> lanes) throws SQLException {
        connection.setAutoCommit(false);
        int before = connection.getTransactionIsolation(); // A pool's may be another one.
        // The cursor must show exactly what the snapshot shows.
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = connection.createStatement()) {
            try (ResultSet row =
                    statement.executeQuery(SNAPSHOT + patience.now().toMillis() + "', true)")) {
                row.next();
                snapshot = row.getString(1);
            }
            String sql = DECLARE.replace("{lanes}", LaneArrays.literal(lanes));
            String declare = reader.rows().sql(sql);
            open =
                    BoundedSessions.within(
                            connection,
                            patience.now().plus(TO_STOP),
                            () -> {
                                statement.execute(declare);
                                connection.commit(); // Only now the rest is put aside.
                                return true;
                            });
        } finally {
            if (!connection.isClosed()) {
                connection.rollback();
                connection.setTransactionIsolation(before);
                connection.setAutoCommit(true);
            }
        }
    }

    /// The next events; the last page is complete and closes the backlog.
    ///
    /// @param mostBytes the page ends when its payloads are larger than this
    public Page next(Connection connection, int most, int mostBytes) throws SQLException {
        List<Event> events = new ArrayList<>();
        long bytes = 0;
        boolean more = true;
        try (Statement statement = connection.createStatement()) {
            while (more && events.size() < most && bytes <= mostBytes) {
                int rows = size.next(most - events.size(), mostBytes - bytes);
                int before = events.size();
                try (ResultSet row =
                        statement.executeQuery("FETCH FORWARD " + rows + " FROM outbox_backlog")) {
                    while (row.next()) {
                        Event event = reader.rows().event(row);
                        bytes += event.payload().size();
                        events.add(event);
                    }
                }
                size.came(events.subList(before, events.size()));
                more = events.size() - before == rows;
            }
        }
        if (!more) {
            close(connection);
        }
        return new Page(snapshot, events, !more);
    }

    public void close(Connection connection) throws SQLException {
        if (open) {
            open = false;
            try (Statement statement = connection.createStatement()) {
                statement.execute("CLOSE outbox_backlog");
            }
        }
    }
}
