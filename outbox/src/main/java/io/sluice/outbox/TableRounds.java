package io.sluice.outbox;

import io.sluice.outbox.ReadAhead.Result;
import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.lanes.Outlook;
import io.sluice.outbox.lanes.Page;
import io.sluice.outbox.lanes.Round;
import io.sluice.outbox.publishing.Sender;
import io.sluice.outbox.reading.Backlog;
import io.sluice.outbox.reading.EventReader;
import io.sluice.outbox.reading.EventReader.Reading;
import io.sluice.outbox.reading.Stretch;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Log mode's rounds: read a page, number it, save that it is being sent, send it.
///
/// One statement reads a page and saves both what the rounds before have done and what this one is about to do. Nothing is sent that is
/// not saved as *being sent*, so whoever takes over repeats exactly these pages with exactly these numbers.
///
/// The next page is read while one is with the producer ([ReadAhead]), and follows it there without waiting for its answers. What is saved then is how far the rounds
/// before that one are, so a successor may repeat two pages. Both are within the bounds that the lanes had before, and numbers are given by place: they come again as
/// they were.
///
/// ```
///  read 1 ─ send 1 ─ read 2 ─ send 2 ─ await 1 ─ read 3 ─ send 3 ─ await 2 ─ …
///                    what has been done before page 1 is saved │ … before page 2 is saved
/// ```
/// Where page 1 does not end as foreseen, page 2 is called back; what of it has left already comes again, with its numbers. Lanes come and go, and parked events are
/// tried again, only when nothing is on its way.
///
/// Owned by the publishing thread.
final class TableRounds {
    /// What a round has found.
    enum Found {
        NOTHING,
        /// All there was.
        ALL,
        /// There is more, or something was left.
        MORE
    }

    /// After so long nothing more is sent behind what is on its way, so that other things get their turn.
    static final Duration AT_ONCE = Duration.ofMillis(200);

    private final RelaySettings settings;
    private final OwnedLanes lanes;
    private final Dispatch dispatch;
    private final RelayStatus status;
    private final EventReader reader;
    private final Backlog backlog;
    private final RefusedEvents refused;
    private final Duration atOnce;
    private final ReadAhead ahead = new ReadAhead();
    private boolean isLarge;
    private boolean isForgotten; // A page, which its backlog has given away.
    private boolean isNextOnItsWay;

    /// @param atOnce for how long one page may follow the other
    TableRounds(
            RelaySettings settings,
            OwnedLanes lanes,
            RefusedEvents refused,
            Dispatch dispatch,
            RelayStatus status,
            Duration atOnce) {
        this.settings = settings;
        this.lanes = lanes;
        this.dispatch = dispatch;
        this.status = status;
        this.reader = new EventReader(settings.table());
        this.backlog = new Backlog(reader);
        this.refused = refused;
        this.atOnce = atOnce;
    }

    void connected(Connection connection) throws SQLException {
        reader.connected(connection);
        backlog.connected();
        ahead.forget();
        isLarge = false;
    }

    /// The lanes may be somebody else's by now, and what was read ahead is theirs; so is a failure to read it, which would be told at a time when nothing fails.
    void forget() {
        isForgotten |= ahead.isThere();
        ahead.forget();
    }

    /// Reads nothing, as it will read everything: the first page shall not have to wait for classes to be loaded and for a plan to be made.
    void rehearse(Connection connection) throws SQLException {
        reader.read(connection, 0, List.of(), whole());
    }

    /// How long the longest statement of the next round may take.
    Duration patience() {
        Duration reading = reader.patience();
        Duration aside = backlog.patience();
        return reading.compareTo(aside) > 0 ? reading : aside;
    }

    EventReader reader() {
        return reader;
    }

    private Stretch whole() {
        return Stretch.next(settings.pageRows(), settings.pageBytes());
    }

    /// Does rounds as long as one follows the other without a gap, for some time at most.
    Found publish(Connection connection, Sender sender) throws SQLException, InterruptedException {
        long began = System.nanoTime();
        BooleanSupplier hasTime = () -> System.nanoTime() - began < atOnce.toNanos();
        try {
            Found found = round(connection, sender, hasTime);
            while (isNextOnItsWay) {
                found = round(connection, sender, hasTime);
            }
            return found;
        } finally {
            isNextOnItsWay = false;
            sender.callBack(); // Nothing, but where a round has not ended as foreseen.
        }
    }

    private Found round(Connection connection, Sender sender, BooleanSupplier hasTime)
            throws SQLException, InterruptedException {
        isNextOnItsWay = false; // It is this one now, or there are no lanes left for it.
        List<Lane> readable =
                dispatch.running().stream()
                        .filter(lane -> !lanes.retrying().contains(lane.number()))
                        .toList();
        Result early = early(connection, sender, readable);
        if (readable.isEmpty()) {
            return Found.NOTHING;
        }
        Page page = early == null ? next(connection, readable) : early.page();
        status.read(page, early == null ? System.nanoTime() : early.readAtNanos());
        Round round =
                Round.of(
                        page,
                        lanes.some(readable.stream().map(Lane::number).toList()),
                        lanes::isBehindParked);
        if (early == null || !round.isBegun() || !round.waiting().isEmpty()) {
            save(connection, round);
        }
        Supplier<List<Numbered>> next =
                () -> {
                    readAhead(connection, page, round);
                    List<Numbered> behind = hasTime.getAsBoolean() ? behind() : List.of();
                    isNextOnItsWay = !behind.isEmpty();
                    return behind;
                };
        dispatch.send(sender, new RoundWork(connection, round, refused, next));
        round.finish();
        if (!round.isDone()) {
            isLarge = false; // What was left must be read again before what stands behind it.
            sender.callBack();
        } else {
            status.caughtUp(page.complete());
        }
        if (!isLarge) {
            backlog.close(connection);
        }
        if (page.events().isEmpty()) {
            return Found.NOTHING;
        }
        return page.complete() && round.isDone() ? Found.ALL : Found.MORE;
    }

    /// A page that is forgotten is in no backlog any more: it is read again, from where the lanes are.
    ///
    /// It is called back before the database is asked for anything: that may take long, and nobody looks after what is on its way meanwhile.
    private @Nullable Result early(Connection connection, Sender sender, List<Lane> readable)
            throws SQLException {
        boolean isThere = ahead.isThere() || isForgotten;
        isForgotten = false;
        Result early = ahead.take(readable);
        if (early != null) {
            isLarge = early.large();
            return early;
        }
        sender.callBack();
        if (isThere) {
            isLarge = false;
            backlog.close(connection);
        }
        return null;
    }

    private Page next(Connection connection, List<Lane> readable) throws SQLException {
        return isLarge ? ofBacklog(connection, readable) : ofTable(connection, readable);
    }

    /// Two pages are in memory then, and together not larger than one may be.
    private void readAhead(Connection connection, Page page, Round round) {
        long bytes = 0;
        for (Event event : page.events()) {
            bytes += event.payload().size();
        }
        int left = (int) Math.max(0, settings.pageBytes() - bytes);
        boolean isOther = isLarge && !backlog.isOpen(); // The rest has to be put aside first.
        if (page.complete() || isOther || 2L * left < settings.pageBytes()) {
            return;
        }
        Collection<Lane> read = round.lanes();
        ahead.read(
                round,
                read,
                outlook ->
                        isLarge
                                ? ofBacklogAhead(connection, round, left)
                                : ofTableAhead(connection, round, outlook, left));
    }

    /// What was read ahead, if it may be sent before the page before it is done.
    private List<Numbered> behind() {
        List<Numbered> behind = ahead.numbered();
        for (Numbered numbered : behind) {
            boolean mayLeave =
                    lanes.isBegun(numbered.event().lane())
                            && !lanes.isBehindParked(numbered.event());
            if (!mayLeave) {
                return List.of();
            }
        }
        return behind;
    }

    private Result ofTableAhead(Connection connection, Round round, Outlook outlook, int bytes)
            throws SQLException {
        Stretch stretch = Stretch.behind(outlook, settings.pageRows(), bytes);
        Reading reading = reader.read(connection, lanes.self(), round.lanes(), stretch);
        lanes.lose(reading.lost());
        reading.lost().forEach(round::leave);
        backlog.expect(reading.page());
        return new Result(reading.page(), reading.large(), System.nanoTime());
    }

    private Result ofBacklogAhead(Connection connection, Round round, int bytes)
            throws SQLException {
        lanes.save(connection).forEach(round::leave); // What the rounds before this one have done.
        Page page = backlog.next(connection, settings.pageRows(), bytes);
        return new Result(page, backlog.isOpen(), System.nanoTime());
    }

    private Page ofTable(Connection connection, List<Lane> readable) throws SQLException {
        Reading reading = reader.read(connection, lanes.self(), readable, whole());
        lanes.lose(reading.lost());
        isLarge = reading.large();
        backlog.expect(reading.page());
        Set<Integer> lost = reading.lost();
        return lost.isEmpty() ? reading.page() : without(reading.page(), lost);
    }

    private Page ofBacklog(Connection connection, List<Lane> readable) throws SQLException {
        if (!backlog.isOf(readable)) {
            lanes.save(connection);
            backlog.open(connection, lanes.some(readable.stream().map(Lane::number).toList()));
        }
        Page page = backlog.next(connection, settings.pageRows(), settings.pageBytes());
        isLarge = backlog.isOpen();
        return page;
    }

    private static Page without(Page page, Set<Integer> lost) {
        return new Page(
                page.snapshot(),
                page.events().stream().filter(event -> !lost.contains(event.lane())).toList(),
                page.complete());
    }

    /// What the reading has not saved already: lanes that a page of a backlog has opened, and events that wait behind parked ones.
    private void save(Connection connection, Round round) throws SQLException {
        List<Numbered> waiting = round.waiting();
        Set<Integer> lost;
        if (waiting.isEmpty()) {
            lost = lanes.save(connection);
        } else {
            lost = refused.parkBehind(connection, waiting);
            lanes.save(connection).forEach(round::leave);
        }
        lost.forEach(round::leave);
    }
}
