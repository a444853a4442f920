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
/// Only a relay that has all lanes streams. Position and numbers are saved together, five times a second; whoever takes over gets the same
/// events with the same numbers from the slot.
///
/// Owned by the publishing thread.
final class WalRounds {
    private static final Logger LOG = LoggerFactory.getLogger(WalRounds.class);
    private static final Duration WAIT = Duration.ofMillis(20);
    private static final String IN_USE = "55006";
    private static final int ATTEMPTS = 100;
    private static final Duration BETWEEN_SAVES = Duration.ofMillis(200);
    private static final Duration BETWEEN_MARKS = Duration.ofMillis(500);
    private static final Duration BETWEEN_IDLE_MARKS = Duration.ofSeconds(5);
    private static final Duration BETWEEN_QUESTIONS = Duration.ofMillis(500);

    /// Numbers that somebody may have given after the last save.
    private static final long UNKNOWN_NUMBERS = 1_000_000;

    private final RelaySettings settings;
    private final OwnedLanes lanes;
    private final Dispatch dispatch;
    private final RelayStatus status;
    private final RefusedEvents refused;
    private final TableRounds table;
    private final WalEntry entry;
    private final List<Change> incoming = new ArrayList<>();
    private @Nullable Slot slot;
    private @Nullable WalCursor cursor;
    private @Nullable WalStream stream;
    private @Nullable Batch batch;
    private long skip;
    private boolean loaded;
    private long savedAtNanos;
    private long markedAtNanos;
    private long askedAtNanos;
    private long firstMark;

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
        this.entry = new WalEntry(settings, lanes);
    }

    /// Everything is read again before it is used.
    void forget() {
        closeStream();
        cursor = null;
        entry.forget();
        batch = null;
        loaded = false;
        lanes.carryNobody();
    }

    /// Whether parked events may be given new numbers. Not while numbers of a batch are given, and not before all has come that a
    /// predecessor can have published: their numbers have to be higher.
    boolean mayRetry(Seat seat) {
        if (seat.view().mode() != Mode.WAL) {
            return true;
        }
        if (!loaded || cursor == null) {
            return loaded;
        }
        return stream != null && batch == null && firstMark != 0 && cursor.lsn() >= firstMark;
    }

    /// On the way to the log there are steps to be taken though nothing happens.
    boolean isEntering() {
        return entry.hasBegun();
    }

    boolean isStreaming() {
        return stream != null;
    }

    /// Wal mode is not wanted any more: a slot that was about to be used would only make the database keep its log.
    void leave(Connection connection) throws SQLException, InterruptedException {
        if (entry.hasBegun()) {
            entry.forget();
            slot().drop(connection);
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
            if (cursor != null) {
                return Found.MORE; // From now on the table is not ours to read.
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
                new OwnedLanes.Rider() {
                    @Override
                    public boolean isUnsaved() {
                        return cursor != null && cursor.isUnsaved();
                    }

                    @Override
                    public void save(Connection connection) throws SQLException {
                        requireCursor().save(connection);
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
        if (!entry.isWanted(connection)) {
            return Optional.of("log mode is wanted");
        }
        if (!slot().reaches(connection, from.lsn())) {
            return Optional.of("the slot is lost");
        }
        try {
            stream = openReleased(connection, replication, from);
            skip = from.index();
            firstMark = 0;
            markedAtNanos = System.nanoTime() - BETWEEN_IDLE_MARKS.toNanos();
            return Optional.empty();
        } catch (SQLException e) {
            if (IN_USE.equals(e.getSQLState())) {
                throw e; // It is not lost.
            }
            return Optional.of("the slot cannot be read: " + e.getMessage());
        }
    }

    /// Its former reader, whose lanes are ours, is thrown out, and needs a moment to go.
    private WalStream openReleased(Connection connection, Replication replication, WalCursor from)
            throws SQLException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            slot().release(connection);
            try {
                return WalStream.open(
                        replication.connections(), settings.table(), slot().name(), from.lsn());
            } catch (SQLException e) {
                if (!IN_USE.equals(e.getSQLState()) || attempt == ATTEMPTS) {
                    throw e;
                }
                Thread.sleep(WAIT);
            }
        }
    }

    private void enter(Connection connection) throws SQLException, InterruptedException {
        cursor = entry.go(connection, slot()).orElse(null);
        if (cursor != null) {
            lanes.saveAll(connection);
            LOG.info("Events are read from the database's log now");
        }
    }

    private Found stream(Connection connection, Sender sender)
            throws SQLException, InterruptedException, StreamEnded {
        boolean allRun = dispatch.running().size() == lanes.all().size();
        if (allRun && lanes.retrying().isEmpty()) {
            send(connection, sender, batch == null ? begin(connection) : resume(batch));
        } else {
            Thread.sleep(WAIT); // What comes would be of lanes that cannot go on.
        }
        saveAndMark(connection);
        return Found.MORE;
    }

    private Batch begin(Connection connection)
            throws SQLException, InterruptedException, StreamEnded {
        Batch taken = take();
        batch = taken;
        if (!taken.round().waiting().isEmpty()) {
            refused.parkBehind(connection, taken.round().waiting());
        }
        return taken;
    }

    private static Batch resume(Batch left) {
        left.round().resume();
        return left;
    }

    private void send(Connection connection, Sender sender, Batch current)
            throws SQLException, InterruptedException {
        dispatch.send(sender, new RoundWork(connection, current.round(), refused));
        if (current.round().isDone()) {
            current.round().finish();
            done(current.changes());
            batch = null;
            status.caughtUp(current.changes().isEmpty());
        }
    }

    /// Whole transactions, so that the table can take over exactly behind them; only one that is larger than a page is cut.
    private Batch take() throws InterruptedException, StreamEnded {
        @Nullable SQLException ended = receive();
        int whole = 0;
        for (int i = 0; i < incoming.size(); i++) {
            whole = incoming.get(i) instanceof Change.End ? i + 1 : whole;
        }
        if (whole == 0 && isPage(events(incoming))) {
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

    private boolean isPage(List<Event> events) {
        long bytes = 0;
        for (Event event : events) {
            bytes += event.payload().size();
        }
        return events.size() >= settings.pageRows() || bytes > settings.pageBytes();
    }

    /// @return why nothing more will come
    private @Nullable SQLException receive() throws InterruptedException {
        int events = 0;
        long bytes = 0;
        try {
            Change change = requireStream().next(WAIT);
            while (change != null) {
                if (isKnown(change)) {
                    change = requireStream().next(Duration.ZERO);
                    continue;
                }
                incoming.add(change);
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

    /// Published from the table before the stream began, or by a predecessor that got no further in this transaction.
    private boolean isKnown(Change change) {
        if (!(change instanceof Change.Row row)) {
            return false;
        }
        boolean covered = requireCursor().covers(row.xid());
        if (!covered && skip > 0) {
            skip--;
            requireCursor().skipped(row.xid());
            return true;
        }
        return covered;
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
            // So that partitions can go, and people see how far it is.
            lanes.all().forEach(lane -> lane.close(at.seen()));
            lanes.saveAll(connection);
            status.statement();
            if (!at.isUnsaved()) {
                requireStream().confirm(at.lsn());
            }
        }
        Duration between = at.hasMoved() ? BETWEEN_MARKS : BETWEEN_IDLE_MARKS;
        if (now - markedAtNanos >= between.toNanos()) {
            markedAtNanos = now;
            long mark = slot().mark(connection);
            firstMark = firstMark == 0 ? mark : firstMark;
            status.statement();
        }
        if (now - askedAtNanos > BETWEEN_QUESTIONS.toNanos() && batch == null) {
            askedAtNanos = now;
            status.statement();
            if (!entry.isWanted(connection)) {
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
        lanes.fenced(
                connection,
                all,
                lost -> {
                    if (lost.isEmpty()) {
                        WalCursor.clear(connection, outbox, reason);
                    }
                });
        entry.later();
        LOG.warn("Events are read from the table again: {}", reason);
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
