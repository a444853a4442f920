package io.sluice.outbox;

import io.sluice.outbox.TableRounds.Found;
import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.Mode;
import io.sluice.outbox.lanes.Page;
import io.sluice.outbox.lanes.Round;
import io.sluice.outbox.membership.Membership.Seat;
import io.sluice.outbox.publishing.Sender;
import io.sluice.outbox.wal.Change;
import io.sluice.outbox.wal.Slot;
import io.sluice.outbox.wal.WalCursor;
import io.sluice.outbox.wal.WalStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Wal mode's rounds: events as the database's log brings them, and the way from the table to the log and back.
///
/// ```
///            a new slot; the table up to its snapshot        all published
///   TABLE ───────────────────────────────────▶ ENTERING ─────────────────▶ STREAMING
///     ▲  ▲                                         │                          │
///     │  └─────────────────────────────────────────┘ connection lost          │
///     └───────────────────────────────────────────────────────────────────────┘
///        slot lost, or log mode is wanted: the position becomes a snapshot
/// ```
/// Only a relay that has all lanes streams. Position and numbers are saved together, ten times a second; whoever takes over gets the same
/// events with the same numbers from the slot.
///
/// Owned by the publishing thread.
final class WalRounds {
    private static final Logger LOG = LoggerFactory.getLogger(WalRounds.class);
    private static final Duration WAIT = Duration.ofMillis(20);
    private static final Duration BETWEEN_SAVES = Duration.ofMillis(100);
    private static final Duration BETWEEN_MARKS = Duration.ofMillis(500);
    private static final Duration BEFORE_RETURN = Duration.ofSeconds(2);

    /// Numbers that somebody may have given after the last save.
    private static final long UNKNOWN_NUMBERS = 1_000_000;

    private final RelaySettings settings;
    private final OwnedLanes lanes;
    private final Dispatch dispatch;
    private final RelayStatus status;
    private final RefusedEvents refused;
    private final TableRounds table;
    private final List<Change> incoming = new ArrayList<>();
    private @Nullable Slot slot;
    private @Nullable WalCursor cursor;
    private @Nullable WalStream stream;
    private Slot.@Nullable Making making;
    private Slot.@Nullable Beginning entering;
    private @Nullable Batch batch;
    private long skip;
    private boolean loaded;
    private long savedAtNanos;
    private long markedAtNanos;
    private long mayReturnAtNanos = System.nanoTime();

    /// Changes that were taken from the stream, and the round that publishes their events.
    private record Batch(List<Change> changes, Round round) {}

    WalRounds(
            RelaySettings settings,
            OwnedLanes lanes,
            Dispatch dispatch,
            RelayStatus status,
            RefusedEvents refused,
            TableRounds table) {
        this.settings = settings;
        this.lanes = lanes;
        this.dispatch = dispatch;
        this.status = status;
        this.refused = refused;
        this.table = table;
    }

    /// Everything is read again before it is used.
    void forget() {
        closeStream();
        cursor = null;
        entering = null;
        stopMaking();
        batch = null;
        loaded = false;
        lanes.carry(connection -> {});
    }

    /// Wal mode is not wanted any more: a slot that was about to be used would only make the database keep its log.
    void leave(Connection connection) throws SQLException, InterruptedException {
        if (entering != null || making != null) {
            entering = null;
            stopMaking();
            slot().drop(connection);
        }
    }

    private void stopMaking() {
        if (making != null) {
            try {
                making.close();
            } catch (SQLException e) {
                LOG.debug("The connection that made a slot is gone", e);
            }
            making = null;
        }
    }

    Found publish(Connection connection, Seat seat, Sender sender)
            throws SQLException, InterruptedException {
        boolean hasAll = lanes.all().size() == seat.view().lanes();
        if (!hasAll && loaded) {
            forget(); // Somebody else may have gone on meanwhile.
        }
        if (!loaded && hasAll) {
            load(connection);
        }
        if (cursor == null) {
            if (hasAll && loaded) {
                enter(connection);
            }
            return loaded ? table.publish(connection, sender) : Found.NOTHING;
        }
        if (stream == null) {
            Optional<String> reason = open(connection, cursor);
            if (reason.isPresent()) {
                toTable(connection, cursor, reason.get(), UNKNOWN_NUMBERS);
                return Found.MORE;
            }
        }
        try {
            return stream(connection, sender);
        } catch (StreamEnded e) {
            toTable(connection, cursor, String.valueOf(e.getMessage()), 0);
            return Found.MORE;
        }
    }

    private static final class StreamEnded extends Exception {
        private static final long serialVersionUID = 1L;

        StreamEnded(SQLException cause) {
            super(cause.getMessage(), cause);
        }
    }

    private void load(Connection connection) throws SQLException {
        slot = Slot.of(connection, settings.table());
        cursor = WalCursor.load(connection, settings.table().name()).orElse(null);
        carry();
        loaded = true;
    }

    private void carry() {
        lanes.carry(
                connection -> {
                    if (cursor != null && cursor.isUnsaved()) {
                        cursor.save(connection);
                    }
                });
    }

    /// @return why the slot cannot be read
    private Optional<String> open(Connection connection, WalCursor from)
            throws SQLException, InterruptedException {
        Replication replication = settings.replication();
        if (replication == null) {
            return Optional.of("this relay has no replication connection");
        }
        if (wanted(connection) != Mode.WAL) {
            return Optional.of("log mode is wanted");
        }
        if (!slot().reaches(connection, from.lsn())) {
            return Optional.of("the slot is lost");
        }
        slot().release(connection);
        try {
            stream =
                    WalStream.open(
                            replication.connections(), settings.table(), slot().name(), from.lsn());
            skip = from.index();
            return Optional.empty();
        } catch (SQLException e) {
            return Optional.of("the slot cannot be read: " + e.getMessage());
        }
    }

    /// Begins with a slot when the table is at rest, and streams when the table is published up to the slot's snapshot.
    private void enter(Connection connection) throws SQLException, InterruptedException {
        boolean atRest = lanes.all().stream().noneMatch(lane -> lane.cursor().isOpen());
        Replication replication = settings.replication();
        if (entering != null && atRest) {
            cursor = WalCursor.at(settings.table().name(), entering);
            entering = null;
            lanes.saveAll(connection);
            LOG.info("Events are read from the database's log now");
            return;
        }
        if (making != null && making.isDone() && atRest) {
            begin(connection, making);
            return;
        }
        boolean early = System.nanoTime() - mayReturnAtNanos < 0;
        if (entering != null || making != null || replication == null || early) {
            return;
        }
        mayReturnAtNanos = System.nanoTime() + BEFORE_RETURN.toNanos();
        if (wanted(connection) != Mode.WAL) {
            return;
        }
        Optional<String> obstacle = slot().obstacle(connection, replication.mayBeUnbounded());
        if (obstacle.isPresent()) {
            LOG.warn("Events are read from the table, not from the log: {}", obstacle.get());
            return;
        }
        try {
            making = slot().make(connection, replication.connections());
        } catch (SQLException e) {
            LOG.warn("Events are read from the table, no slot can be made: {}", e.getMessage());
        }
    }

    /// The table is published exactly up to where the slot begins.
    private void begin(Connection connection, Slot.Making made) throws SQLException {
        making = null;
        try {
            Slot.Beginning beginning = made.beginning(connection);
            entering = beginning;
            lanes.all().forEach(lane -> lane.open(beginning.snapshot()));
            lanes.saveAll(connection);
        } catch (SQLException e) {
            LOG.warn("Events are read from the table: {}", e.getMessage());
        }
    }

    private Found stream(Connection connection, Sender sender)
            throws SQLException, InterruptedException, StreamEnded {
        Batch current = batch != null ? batch : take();
        batch = current;
        if (!current.round().waiting().isEmpty()) {
            refused.parkBehind(connection, current.round().waiting());
        }
        if (lanes.retrying().isEmpty()) {
            dispatch.send(sender, new RoundWork(connection, current.round(), refused));
        }
        if (current.round().isDone()) {
            current.round().finish();
            done(current.changes());
            batch = null;
            status.caughtUp(current.changes().isEmpty());
        }
        saveAndMark(connection);
        return Found.MORE;
    }

    /// Whole transactions, so that the table can take over exactly behind them; only one that is larger than a page is cut.
    private Batch take() throws InterruptedException, StreamEnded {
        @Nullable SQLException ended = receive();
        int whole = 0;
        for (int i = 0; i < incoming.size(); i++) {
            whole = incoming.get(i) instanceof Change.End ? i + 1 : whole;
        }
        if (whole == 0 && events(incoming).size() >= settings.pageRows()) {
            whole = incoming.size();
        }
        if (whole == 0 && ended != null) {
            throw new StreamEnded(ended);
        }
        List<Change> changes = new ArrayList<>(incoming.subList(0, whole));
        incoming.subList(0, whole).clear();
        Page page = Page.ofStream(events(changes));
        if (!page.events().isEmpty()) {
            status.read(page, System.nanoTime());
        }
        return new Batch(changes, Round.of(page, lanes.all(), lanes.parkedKeys().keySet()));
    }

    /// @return why nothing more will come
    private @Nullable SQLException receive() throws InterruptedException {
        int events = 0;
        long bytes = 0;
        try {
            Change change = requireStream().next(WAIT);
            while (change != null) {
                if (change instanceof Change.Row && skip > 0) {
                    skip--;
                } else {
                    incoming.add(change);
                }
                if (change instanceof Change.Row row) {
                    events++;
                    bytes += row.event().payload().size();
                }
                boolean full = events >= settings.pageRows() || bytes > settings.pageBytes();
                change = full ? null : requireStream().next(Duration.ZERO);
            }
            return null;
        } catch (SQLException e) {
            return e;
        }
    }

    private static List<Event> events(List<Change> changes) {
        List<Event> events = new ArrayList<>();
        for (Change change : changes) {
            if (change instanceof Change.Row row) {
                events.add(row.event());
            }
        }
        return events;
    }

    private void done(List<Change> changes) {
        WalCursor now = requireCursor();
        for (Change change : changes) {
            switch (change) {
                case Change.Row row -> now.published(row.xid());
                case Change.End end -> now.ended(end.endLsn());
                case Change.Mark mark -> now.marked(mark.snapshot());
            }
        }
    }

    private void saveAndMark(Connection connection) throws SQLException, InterruptedException {
        long now = System.nanoTime();
        WalCursor at = requireCursor();
        if (at.isUnsaved() && now - savedAtNanos > BETWEEN_SAVES.toNanos()) {
            savedAtNanos = now;
            lanes.saveAll(connection);
            status.statement();
            requireStream().confirm(at.lsn());
        }
        if (now - markedAtNanos > BETWEEN_MARKS.toNanos()) {
            markedAtNanos = now;
            slot().mark(connection);
            status.statement();
            if (wanted(connection) != Mode.WAL && batch == null) {
                toTable(connection, at, "log mode is wanted", 0);
                slot().drop(connection);
            }
        }
    }

    /// The position becomes a snapshot, and the table goes on from there. A transaction larger than a page of which only a part is
    /// published is published again, with other numbers.
    ///
    /// @param unknown how many numbers may have been given that nobody here knows about
    private void toTable(Connection connection, WalCursor from, String reason, long unknown)
            throws SQLException {
        closeStream();
        batch = null;
        String snapshot = from.asSnapshot();
        cursor = null;
        lanes.all().forEach(lane -> lane.restart(snapshot, unknown));
        List<Lane> all = List.copyOf(lanes.all());
        String outbox = settings.table().name();
        lanes.fenced(connection, all, lost -> WalCursor.clear(connection, outbox, reason));
        mayReturnAtNanos = System.nanoTime() + BEFORE_RETURN.toNanos();
        LOG.warn("Events are read from the table again: {}", reason);
    }

    private Mode wanted(Connection connection) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT mode FROM outbox_source WHERE outbox = ?")) {
            query.setString(1, settings.table().name());
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? Mode.of(row.getString(1)) : Mode.LOG;
            }
        }
    }

    private Slot slot() {
        if (slot == null) {
            throw new IllegalStateException("not loaded");
        }
        return slot;
    }

    private WalStream requireStream() {
        if (stream == null) {
            throw new IllegalStateException("no stream");
        }
        return stream;
    }

    private WalCursor requireCursor() {
        if (cursor == null) {
            throw new IllegalStateException("no cursor");
        }
        return cursor;
    }

    /// The stream ends; what is published is saved when the lanes are given away.
    void close() {
        closeStream();
    }

    private void closeStream() {
        incoming.clear();
        if (stream != null) {
            stream.close();
            stream = null;
        }
    }
}
