package io.sluice.outbox;

import io.sluice.outbox.TableRounds.Found;
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
    private static final Duration BETWEEN_QUESTIONS = Duration.ofMillis(500);

    /// Numbers that somebody may have given after the last save.
    private static final long UNKNOWN_NUMBERS = 1_000_000;

    /// A round of the stream costs no statement but ends, like any other, with a wait for its last acknowledgement. One relay streams for all, so
    /// its rounds are as large as those of several.
    private static final int PAGES = 4;

    private final RelaySettings settings;
    private final OwnedLanes lanes;
    private final Dispatch dispatch;
    private final RelayStatus status;
    private final RefusedEvents refused;
    private final TableRounds table;
    private final WalEntry entry;
    private @Nullable Slot slot;
    private @Nullable WalCursor cursor;
    private @Nullable Reading reading;
    private @Nullable Batch batch;
    private boolean loaded;
    private boolean tidied;
    private long askedAtNanos;

    /// An open stream.
    private record Reading(WalStream stream, WalIntake intake, WalProgress progress) {}

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
        tidied = false;
        lanes.carryNobody();
    }

    /// Whether the events are the log's: because that is wanted, or because a position in it is saved, of which the members may know nothing yet. What the table gave
    /// meanwhile the stream would bring again, with other numbers. Only who has all lanes saves a position, so who has them knows whether there is one.
    boolean applies(Connection connection, Seat seat) throws SQLException, InterruptedException {
        boolean hasAll = lanes.all().size() == seat.view().lanes();
        if (!hasAll && loaded) {
            forget(); // Somebody else may have gone on meanwhile.
        }
        if (!loaded && hasAll) {
            load(connection);
        }
        return cursor != null || seat.view().mode() == Mode.WAL;
    }

    /// Whether parked events may be given new numbers. Not while numbers of a batch are given, and not before all has come that a
    /// predecessor can have published: their numbers have to be higher. But if it has left some that were perhaps being sent, it was at rest when it
    /// saved their numbers, and has published nothing since; and nothing else goes on before they are.
    boolean mayRetry(Connection connection, Seat seat) throws SQLException, InterruptedException {
        if (!applies(connection, seat)) {
            return true;
        }
        if (!loaded || cursor == null) {
            return loaded;
        }
        boolean isAllKnown =
                reading != null
                        && (reading.progress().isBeyondPredecessor()
                                || !lanes.retrying().isEmpty());
        return isAllKnown && batch == null;
    }

    /// On the way to the log there are steps to be taken though nothing happens.
    boolean isEntering() {
        return entry.hasBegun();
    }

    boolean isStreaming() {
        return reading != null;
    }

    /// Wal mode is not wanted: a slot that was about to be used, or that somebody left behind who died before he had dropped it, would only
    /// make the database keep its log.
    void leave(Connection connection) throws SQLException, InterruptedException {
        if (entry.hasBegun()) {
            entry.forget();
            tidied = false;
        }
        if (!tidied) {
            slot = Slot.of(connection, settings.table());
            tidied = true;
            dropSlot(connection, this::ifUnwanted);
        }
    }

    private boolean ifUnwanted(Connection connection, Slot.Action action) throws SQLException {
        return Transaction.in(
                connection,
                () -> {
                    boolean unwanted = slot().isUnwanted(connection);
                    if (unwanted) {
                        action.run();
                    }
                    return unwanted;
                });
    }

    /// Where it [applies][#applies].
    Found publish(Connection connection, Sender sender) throws SQLException, InterruptedException {
        if (cursor == null) {
            if (loaded) {
                enter(connection);
            }
            if (cursor != null) {
                return Found.MORE; // From now on the table is not ours to read.
            }
            return loaded ? table.publish(connection, sender) : Found.NOTHING;
        }
        if (reading == null) {
            Optional<String> reason = open(connection, cursor);
            if (reason.isPresent()) {
                toTable(connection, cursor, reason.get(), UNKNOWN_NUMBERS);
                return Found.MORE;
            }
        }
        try {
            stream(connection, sender);
        } catch (WalIntake.Ended e) {
            boolean allKnown = requireReading().progress().isBeyondPredecessor();
            toTable(
                    connection,
                    cursor,
                    String.valueOf(e.getMessage()),
                    allKnown ? 0 : UNKNOWN_NUMBERS);
        }
        return Found.MORE;
    }

    private void load(Connection connection) throws SQLException, InterruptedException {
        slot = Slot.of(connection, settings.table());
        cursor = WalCursor.load(connection, settings.table().name()).orElse(null);
        carry();
        loaded = true;
        if (cursor == null) {
            // Whoever gave its position up died before he had dropped it.
            dropSlot(connection, lanes::ifOurs);
        }
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
        if (!slot().reaches(connection, from.lsn())) {
            return Optional.of("the slot is lost");
        }
        int rows = settings.pageRows() * PAGES;
        try {
            WalStream stream =
                    slot().read(
                                    connection,
                                    lanes::ifOurs,
                                    replication.connections(),
                                    from.lsn(),
                                    new WalStream.Room(rows, settings.pageBytes()));
            reading =
                    new Reading(
                            stream,
                            new WalIntake(stream::take, from, rows, settings.pageBytes()),
                            new WalProgress(settings.table(), lanes, slot(), from, stream));
            return Optional.empty();
        } catch (SQLException e) {
            if (Slot.isInUse(e)) {
                throw e; // It is not lost.
            }
            return Optional.of("the slot cannot be read: " + e.getMessage());
        }
    }

    private void enter(Connection connection) throws SQLException, InterruptedException {
        cursor = entry.go(connection, slot()).orElse(null);
        if (cursor != null) {
            lanes.saveAll(connection);
            LOG.info("Events are read from the database's log now");
        }
    }

    private void stream(Connection connection, Sender sender)
            throws SQLException, InterruptedException, WalIntake.Ended {
        boolean allRun = dispatch.running().size() == lanes.all().size();
        if (allRun && lanes.retrying().isEmpty()) {
            send(connection, sender, batch == null ? begin(connection) : resume(batch));
        } else {
            Thread.sleep(WAIT); // What comes would be of lanes that cannot go on.
            requireReading().progress().waited();
        }
        requireReading().progress().keep(connection);
        askWhetherWanted(connection);
    }

    private Batch begin(Connection connection)
            throws SQLException, InterruptedException, WalIntake.Ended {
        List<Change> changes = requireReading().intake().take();
        Page page = Page.ofStream(WalIntake.events(changes));
        if (!page.events().isEmpty()) {
            status.read(page, System.nanoTime());
        }
        Batch taken = new Batch(changes, Round.of(page, lanes.all(), lanes::isBehindParked));
        batch = taken;
        if (!taken.round().waiting().isEmpty()) {
            refused.parkBehind(connection, taken.round().waiting()).forEach(taken.round()::leave);
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
            requireReading().progress().done(current.changes());
            batch = null;
            status.caughtUp(current.changes().isEmpty());
        } else {
            requireReading().progress().waited();
        }
    }

    private void askWhetherWanted(Connection connection) throws SQLException, InterruptedException {
        long now = System.nanoTime();
        if (batch != null || now - askedAtNanos <= BETWEEN_QUESTIONS.toNanos()) {
            return;
        }
        if (!requireReading().progress().isBeyondPredecessor()) {
            return; // The table would give numbers again that it has published.
        }
        if (requireCursor().index() > 0) {
            return; // The table would begin the transaction again, of which a part is published.
        }
        askedAtNanos = now;
        if (!entry.isWanted(connection)) {
            toTable(connection, requireCursor(), "log mode is wanted", 0);
        }
    }

    /// The position becomes a snapshot, and the table goes on from there. A transaction larger than a page of which only a part is
    /// published is published again, with other numbers.
    ///
    /// @param unknown how many numbers may have been given that nobody here knows about
    private void toTable(Connection connection, WalCursor from, String reason, long unknown)
            throws SQLException, InterruptedException {
        closeStream();
        batch = null;
        String snapshot = from.asSnapshot(connection, settings.table());
        cursor = null;
        lanes.all().forEach(lane -> lane.restart(snapshot, unknown));
        List<Lane> all = List.copyOf(lanes.all());
        String outbox = settings.table().name();
        lanes.fenced(
                connection,
                all,
                others -> {
                    OwnedLanes.requireNone(others);
                    WalCursor.clear(connection, outbox, reason);
                });
        entry.later();
        LOG.warn("Events are read from the table again: {}", reason);
        dropSlot(connection, lanes::ifOurs);
    }

    /// Nobody will read on from where it stands, and it would make the database keep its log.
    private void dropSlot(Connection connection, Slot.Guard guard)
            throws SQLException, InterruptedException {
        try {
            slot().drop(connection, guard);
        } catch (SQLException e) {
            if (!Slot.isForbidden(e)) {
                throw e;
            }
            LOG.error(
                    "Slot {} makes the database keep its log, and this relay may not drop it. Do it as a user with REPLICATION: SELECT pg_drop_replication_slot('{}')",
                    slot().name(),
                    slot().name());
        }
    }

    private Slot slot() {
        if (slot == null) {
            throw new IllegalStateException("not loaded");
        }
        return slot;
    }

    private Reading requireReading() {
        if (reading == null) {
            throw new IllegalStateException("no stream");
        }
        return reading;
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
        if (reading != null) {
            reading.stream().close();
            reading = null;
        }
    }
}
