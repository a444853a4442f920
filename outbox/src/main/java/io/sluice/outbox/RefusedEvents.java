package io.sluice.outbox;

import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.parking.ParkedEvent;
import io.sluice.outbox.parking.ParkedKey;
import io.sluice.outbox.parking.ParkingLot;
import io.sluice.outbox.parking.Retry;
import io.sluice.outbox.publishing.Sender;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Parks what the broker refuses, and tries it again when its time has come.
///
/// An event is parked, together with what stands behind it in the page, before anything behind it in its lane is sent: a successor that
/// could publish it would give it a number that consumers have already passed.
///
/// Owned by the publishing thread.
final class RefusedEvents {
    static final Duration LOOK_AT_PARKED = Duration.ofMillis(500);

    private final OwnedLanes lanes;
    private final ParkingLot parkingLot;
    private final RelayStatus status;
    private long lookedAtNanos = System.nanoTime() - LOOK_AT_PARKED.toNanos();

    RefusedEvents(OwnedLanes lanes, ParkingLot parkingLot, RelayStatus status) {
        this.lanes = lanes;
        this.parkingLot = parkingLot;
        this.status = status;
    }

    /// @param behind later events of its key that have been read
    /// @return false if its lane is somebody else's by now
    boolean park(Connection connection, Numbered event, String reason, List<Numbered> behind)
            throws SQLException {
        int lane = event.event().lane();
        Collection<Lane> one = lanes.some(List.of(lane));
        if (one.isEmpty()) {
            return false;
        }
        Set<Integer> lost =
                lanes.fenced(
                        connection,
                        one,
                        others -> {
                            if (others.isEmpty()) {
                                parkingLot.park(connection, event.event(), reason);
                                parkingLot.waitBehind(connection, behind);
                            }
                        });
        if (!lost.isEmpty()) {
            return false;
        }
        lanes.parkedKeys()
                .merge(
                        event.event().key(),
                        new ParkedKey(lane, event.event().ord()),
                        (before, now) -> before.with(now.first()));
        status.parked(event, reason);
        return true;
    }

    /// Events of keys that are parked already.
    ///
    /// @return lanes that turned out to be somebody else's
    Set<Integer> parkBehind(Connection connection, List<Numbered> waiting) throws SQLException {
        Collection<Lane> of =
                lanes.some(waiting.stream().map(event -> event.event().lane()).toList());
        return lanes.fenced(
                connection,
                of,
                lost ->
                        parkingLot.waitBehind(
                                connection,
                                waiting.stream()
                                        .filter(event -> !lost.contains(event.event().lane()))
                                        .toList()));
    }

    /// Tries again what is due, of lanes that are at rest: the numbers of a page that is being sent are given already.
    ///
    /// @return whether there was anything
    boolean retry(Connection connection, Dispatch dispatch, Sender sender)
            throws SQLException, InterruptedException {
        long now = System.nanoTime();
        boolean early =
                now - lookedAtNanos < LOOK_AT_PARKED.toNanos() && lanes.retrying().isEmpty();
        if (lanes.parkedKeys().isEmpty() || early) {
            return false;
        }
        lookedAtNanos = now;
        Map<Integer, Lane> resting = new HashMap<>();
        dispatch.running().stream()
                .filter(lane -> !lane.cursor().isOpen())
                .forEach(lane -> resting.put(lane.number(), lane));
        List<ParkedEvent> due = parkingLot.due(connection, resting.keySet());
        Retry retry = Retry.of(due, number -> next(resting.get(number), number));
        List<Numbered> all = retry.all();
        all.forEach(event -> lanes.retrying().add(event.event().lane()));
        List<Event> changed = new ArrayList<>();
        Set<Integer> lost =
                lanes.fenced(
                        connection,
                        lanes.some(all.stream().map(event -> event.event().lane()).toList()),
                        others ->
                                changed.addAll(
                                        parkingLot.number(
                                                connection,
                                                all.stream()
                                                        .filter(
                                                                e ->
                                                                        !others.contains(
                                                                                e.event().lane()))
                                                        .toList())));
        lost.forEach(retry::leave);
        changed.forEach(retry::leave);
        dispatch.send(sender, new RetryWork(connection, retry, this));
        settle(connection, retry);
        return !due.isEmpty();
    }

    private static long next(@Nullable Lane lane, int number) {
        if (lane == null) {
            throw new IllegalStateException("not asked for: " + number);
        }
        lane.reserve(1);
        return lane.cursor().sequence();
    }

    void refusedAgain(Connection connection, ParkedEvent event, String reason) throws SQLException {
        lanes.fenced(
                connection,
                lanes.some(List.of(event.event().lane())),
                lost -> {
                    if (lost.isEmpty()) {
                        parkingLot.refusedAgain(connection, event, reason);
                    }
                });
    }

    /// If a lane is lost, its new owner sends with the same numbers what we have sent.
    private void settle(Connection connection, Retry retry) throws SQLException {
        Set<Integer> touched = new TreeSet<>();
        retry.all().forEach(event -> touched.add(event.event().lane()));
        lanes.fenced(
                connection,
                lanes.some(touched),
                lost -> {
                    if (lost.isEmpty()) {
                        parkingLot.settle(connection, retry);
                    }
                });
        List<Integer> numbers = lanes.all().stream().map(Lane::number).toList();
        lanes.parkedKeys().clear();
        lanes.parkedKeys().putAll(parkingLot.keys(connection, numbers));
        lanes.retrying().retainAll(parkingLot.numbered(connection, numbers));
    }

    /// A retry as work for [Dispatch].
    private record RetryWork(Connection connection, Retry retry, RefusedEvents parking)
            implements Dispatch.Work {
        @Override
        public List<Numbered> toSend() {
            return retry.toSend();
        }

        @Override
        public void acknowledged(Collection<Numbered> events) {
            retry.acknowledged(events);
        }

        @Override
        public void refused(Numbered event, String reason) throws SQLException {
            parking.refusedAgain(connection, retry.refused(event), reason);
        }

        @Override
        public void leave(int lane) {
            retry.leave(lane);
        }
    }
}
