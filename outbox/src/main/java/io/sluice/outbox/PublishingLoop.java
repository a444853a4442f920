package io.sluice.outbox;

import io.sluice.outbox.lanes.Backoff;
import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.lanes.Page;
import io.sluice.outbox.lanes.Round;
import io.sluice.outbox.membership.Doorbell;
import io.sluice.outbox.membership.LaneOwnership;
import io.sluice.outbox.membership.Membership;
import io.sluice.outbox.membership.Membership.Seat;
import io.sluice.outbox.parking.ParkedEvent;
import io.sluice.outbox.parking.ParkingLot;
import io.sluice.outbox.parking.Retry;
import io.sluice.outbox.publishing.Headers;
import io.sluice.outbox.publishing.Outcome;
import io.sluice.outbox.publishing.Publisher;
import io.sluice.outbox.publishing.Refusal;
import io.sluice.outbox.reading.EventReader;
import io.sluice.outbox.reading.Readiness;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries events from the table to the topic: read, number, save, send, and again.
///
/// Per round: one statement reads a page and the snapshot it was read in; one statement saves what the round before has done and what
/// this one is about to do; then the page is sent. Nothing is sent that is not saved as *being sent*, so whoever
/// takes over repeats exactly this page with exactly these numbers.
///
/// Owned by the publishing thread; all it does is decided in `lanes` and `parking`.
final class PublishingLoop {
    private static final Logger LOG = LoggerFactory.getLogger(PublishingLoop.class);
    private static final Backoff DATABASE =
            new Backoff(Duration.ofMillis(50), Duration.ofSeconds(5));
    private static final Backoff TRANSPORT =
            new Backoff(Duration.ofMillis(50), Duration.ofSeconds(5));
    private static final Duration CHECK_AGAIN = Duration.ofSeconds(1);
    private static final Duration STOPPED_LANE = Duration.ofSeconds(10);

    /// Only for the case that the ring is lost with its connection; the renewal of the lease wakes more often.
    private static final Duration UNTIL_RUNG = Duration.ofSeconds(5);

    private static final Duration LOOK_AT_PARKED = Duration.ofMillis(500);

    private final ConnectionSource database;
    private final RelaySettings settings;
    private final Membership membership;
    private final Waking waking;
    private final RelayStatus status;
    private final Readiness readiness;
    private final EventReader reader;
    private final ParkingLot parkingLot;
    private final OwnedLanes lanes;
    private final Publisher publisher;
    private final Doorbell doorbell = new Doorbell();
    private final Map<Integer, Long> stoppedUntilNanos = new HashMap<>();
    private long parkedLookedAtNanos;

    PublishingLoop(
            ConnectionSource database,
            RelaySettings settings,
            Membership membership,
            Waking waking,
            RelayStatus status) {
        this.database = database;
        this.settings = settings;
        this.membership = membership;
        this.waking = waking;
        this.status = status;
        String outbox = settings.table().name();
        this.readiness = new Readiness(settings.table());
        this.reader = new EventReader(settings.table(), settings.pageBytes());
        this.parkingLot = new ParkingLot(outbox, settings.parking());
        this.lanes = new OwnedLanes(new LaneOwnership(outbox), parkingLot);
        this.publisher =
                new Publisher(
                        event -> Headers.numbered(settings.topic(), event), settings.producer());
    }

    void run() {
        int failures = 0;
        try (publisher) {
            while (!waking.isStopping()) {
                try (Connection connection = database.open()) {
                    connection.setAutoCommit(false);
                    failures = 0;
                    serve(connection);
                } catch (SQLException e) {
                    failures++;
                    status.databaseFailed(e.getMessage());
                    LOG.warn("The database failed, publishing pauses: {}", e.getMessage());
                    waking.pause(DATABASE.after(failures));
                } finally {
                    lanes.forget();
                    status.owns(lanes.all(), lanes.parkedKeys().size());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(Connection connection) throws SQLException, InterruptedException {
        doorbell.connected(connection, settings.table());
        reader.connected(connection);
        connection.commit();
        awaitReadiness(connection);
        while (!waking.isStopping()) {
            Optional<Seat> seat = membership.seat().filter(Seat::isTrusted);
            if (seat.isEmpty()) {
                lanes.forget(); // Somebody else may have them by now.
                waking.idle(settings.idleWait());
                continue;
            }
            if (lanes.follow(connection, seat.get())) {
                waking.busy();
            }
            status.owns(lanes.all(), lanes.parkedKeys().size());
            boolean published = retryParked(connection);
            published |= !lanes.isEmpty() && publishPage(connection);
            if (published) {
                waking.busy();
                doorbell.leave(connection);
            } else {
                sleep(connection);
            }
        }
        if (!lanes.isEmpty()) {
            lanes.giveAway(connection, lanes.all().stream().map(Lane::number).toList());
        }
    }

    private void awaitReadiness(Connection connection) throws SQLException, InterruptedException {
        Optional<String> obstacle = readiness.obstacle(connection);
        connection.commit();
        if (obstacle.isPresent()) {
            LOG.error("Publishing does not begin: {}", obstacle.get());
        }
        while (obstacle.isPresent() && !waking.isStopping()) {
            status.databaseFailed(obstacle.get());
            waking.pause(CHECK_AGAIN);
            obstacle = readiness.obstacle(connection);
            connection.commit();
        }
        status.databaseReached();
    }

    /// Short sleeps first: under load the next event comes within milliseconds, and nobody should have to ring. Then until somebody does.
    private void sleep(Connection connection) throws SQLException, InterruptedException {
        if (!doorbell.isInstalled() || !waking.isQuiet() || lanes.isEmpty()) {
            waking.idle(settings.idleWait());
        } else if (doorbell.isAttended()) {
            waking.sleep(lanes.parkedKeys().isEmpty() ? UNTIL_RUNG : LOOK_AT_PARKED);
            doorbell.woken();
        } else {
            doorbell.attend(connection);
            if (!doorbell.isAttended()) {
                waking.idle(settings.idleWait());
            }
        }
    }

    /// @return whether there was anything to publish
    private boolean publishPage(Connection connection) throws SQLException, InterruptedException {
        List<Lane> readable = lanes.all().stream().filter(lane -> !isStopped(lane)).toList();
        Page page = reader.read(connection, readable, settings.pageRows());
        status.read(page, System.nanoTime());
        Round round = Round.of(page, readable, lanes.parkedKeys().keySet());
        Set<Integer> lost = lanes.save(connection);
        connection.commit();
        lost.forEach(round::leave);
        send(connection, round);
        lanes.wait(round.finish());
        if (round.toSend().isEmpty()) {
            status.caughtUp(page.complete());
        }
        return !page.events().isEmpty();
    }

    private void send(Connection connection, Round round)
            throws SQLException, InterruptedException {
        int failures = 0;
        List<Numbered> events = round.toSend();
        while (!events.isEmpty() && mayPublish()) {
            Outcome outcome = publisher.publish(events, this::mayPublish);
            round.acknowledged(outcome.acknowledged());
            status.published(outcome.acknowledged());
            failures = outcome.acknowledged().isEmpty() ? failures : 0;
            if (outcome.refused().isPresent()) {
                Numbered event = outcome.refused().get().event();
                switch (outcome.refused().get().why()) {
                    case Refusal.Transport(String reason) -> pause(++failures, reason);
                    case Refusal.OfRecord(String reason) -> park(connection, round, event, reason);
                    case Refusal.OfConfiguration(String reason) -> {
                        stop(event.event().lane(), reason);
                        round.leave(event.event().lane());
                    }
                }
            }
            events = round.toSend();
        }
    }

    /// Before anything behind it in its lane is sent: a successor that could publish it would give it a number that consumers have
    /// already passed.
    private void park(Connection connection, Round round, Numbered refused, String reason)
            throws SQLException {
        int lane = refused.event().lane();
        if (!lanes.isStillOurs(connection, lane)) {
            connection.rollback();
            round.leave(lane);
            return;
        }
        parkingLot.park(connection, refused.event(), reason);
        connection.commit();
        lanes.parkedKeys().put(refused.event().key(), lane);
        round.parked(refused.event());
        status.parked(refused, reason);
    }

    private boolean retryParked(Connection connection) throws SQLException, InterruptedException {
        long now = System.nanoTime();
        boolean early = now - parkedLookedAtNanos < LOOK_AT_PARKED.toNanos();
        if (lanes.parkedKeys().isEmpty() || early) {
            return false;
        }
        parkedLookedAtNanos = now;
        Map<Integer, Lane> running = new HashMap<>();
        lanes.all().stream()
                .filter(lane -> !isStopped(lane))
                .forEach(lane -> running.put(lane.number(), lane));
        List<ParkedEvent> due = parkingLot.due(connection, running.keySet());
        Retry retry =
                Retry.of(
                        due,
                        number -> {
                            Lane lane = running.get(number);
                            if (lane == null) {
                                throw new IllegalStateException("not asked for: " + number);
                            }
                            lane.reserve(1);
                            return lane.cursor().sequence();
                        });
        Set<Integer> lost = lanes.save(connection);
        parkingLot.number(
                connection,
                retry.all().stream().filter(e -> !lost.contains(e.event().lane())).toList());
        connection.commit();
        lost.forEach(retry::leave);
        send(retry);
        settle(connection, retry);
        return !due.isEmpty();
    }

    private void send(Retry retry) throws InterruptedException {
        int failures = 0;
        List<Numbered> events = retry.toSend();
        while (!events.isEmpty() && mayPublish()) {
            Outcome outcome = publisher.publish(events, this::mayPublish);
            retry.acknowledged(outcome.acknowledged());
            status.published(outcome.acknowledged());
            if (outcome.refused().isPresent()) {
                Numbered event = outcome.refused().get().event();
                switch (outcome.refused().get().why()) {
                    case Refusal.Transport(String reason) -> pause(++failures, reason);
                    case Refusal.OfRecord(String reason) -> retry.refused(event, reason);
                    case Refusal.OfConfiguration(String reason) -> {
                        stop(event.event().lane(), reason);
                        retry.leave(event.event().lane());
                    }
                }
            }
            events = retry.toSend();
        }
    }

    private void settle(Connection connection, Retry retry) throws SQLException {
        Set<Integer> touched = new TreeSet<>();
        retry.all().forEach(event -> touched.add(event.event().lane()));
        for (int lane : touched) {
            if (!lanes.isStillOurs(connection, lane)) {
                connection
                        .rollback(); // Its new owner sends with the same numbers what we have sent.
                lanes.forget();
                return;
            }
        }
        parkingLot.settle(connection, retry);
        List<Integer> numbers = lanes.all().stream().map(Lane::number).toList();
        Map<String, Integer> still = parkingLot.keys(connection, numbers);
        connection.commit();
        lanes.parkedKeys().keySet().retainAll(still.keySet());
    }

    /// Until the lease is in doubt. A relay that stops finishes the page that it has begun, if that does not take long.
    private boolean mayPublish() {
        return waking.mayFinish()
                && membership
                        .seat()
                        .filter(seat -> seat.number() == lanes.self() && seat.isTrusted())
                        .isPresent();
    }

    private void pause(int failures, String reason) throws InterruptedException {
        if (failures == 1) {
            LOG.warn("The broker cannot be reached, publishing pauses: {}", reason);
        }
        status.transportFailed(reason);
        waking.pause(TRANSPORT.after(failures));
    }

    private void stop(int lane, String reason) {
        stoppedUntilNanos.put(lane, System.nanoTime() + STOPPED_LANE.toNanos());
        status.stopped(lane, reason);
    }

    private boolean isStopped(Lane lane) {
        Long until = stoppedUntilNanos.get(lane.number());
        if (until != null && System.nanoTime() - until >= 0) {
            stoppedUntilNanos.remove(lane.number());
            return false;
        }
        return until != null;
    }
}
