package io.sluice.outbox;

import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.lanes.Page;
import io.sluice.outbox.lanes.Round;
import io.sluice.outbox.publishing.Sender;
import io.sluice.outbox.reading.Backlog;
import io.sluice.outbox.reading.EventReader;
import io.sluice.outbox.reading.EventReader.Reading;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/// Log mode's rounds: read a page, number it, save that it is being sent, send it.
///
/// One statement reads a page and saves both what the round before has done and what this one is about to do. Nothing is sent that is
/// not saved as *being sent*, so whoever takes over repeats exactly this page with exactly these numbers.
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

    private final RelaySettings settings;
    private final OwnedLanes lanes;
    private final Dispatch dispatch;
    private final RelayStatus status;
    private final EventReader reader;
    private final Backlog backlog;
    private final RefusedEvents refused;
    private boolean isLarge;

    TableRounds(
            RelaySettings settings,
            OwnedLanes lanes,
            RefusedEvents refused,
            Dispatch dispatch,
            RelayStatus status) {
        this.settings = settings;
        this.lanes = lanes;
        this.dispatch = dispatch;
        this.status = status;
        this.reader = new EventReader(settings.table(), settings.pageBytes());
        this.backlog = new Backlog(reader, settings.pageBytes());
        this.refused = refused;
    }

    void connected(Connection connection) throws SQLException {
        reader.connected(connection);
        backlog.connected();
        isLarge = false;
    }

    /// Reads nothing, as it will read everything: the first page shall not have to wait for classes to be loaded and for a plan to be made.
    void rehearse(Connection connection) throws SQLException {
        reader.read(connection, 0, List.of(), settings.pageRows());
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

    Found publish(Connection connection, Sender sender) throws SQLException, InterruptedException {
        List<Lane> readable =
                dispatch.running().stream()
                        .filter(lane -> !lanes.retrying().contains(lane.number()))
                        .toList();
        if (readable.isEmpty()) {
            return Found.NOTHING;
        }
        Page page = isLarge ? ofBacklog(connection, readable) : ofTable(connection, readable);
        status.read(page, System.nanoTime());
        Round round =
                Round.of(
                        page,
                        lanes.some(readable.stream().map(Lane::number).toList()),
                        lanes::isBehindParked);
        save(connection, round);
        dispatch.send(sender, new RoundWork(connection, round, refused));
        round.finish();
        if (!round.isDone()) {
            isLarge = false; // What was left must be read again before what stands behind it.
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

    private Page ofTable(Connection connection, List<Lane> readable) throws SQLException {
        Reading reading = reader.read(connection, lanes.self(), readable, settings.pageRows());
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
        Page page = backlog.next(connection, settings.pageRows());
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
