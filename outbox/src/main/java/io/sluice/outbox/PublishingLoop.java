package io.sluice.outbox;

import io.sluice.outbox.TableRounds.Found;
import io.sluice.outbox.lanes.Backoff;
import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.membership.Doorbell;
import io.sluice.outbox.membership.LaneOwnership;
import io.sluice.outbox.membership.Membership;
import io.sluice.outbox.membership.Membership.Seat;
import io.sluice.outbox.parking.ParkingLot;
import io.sluice.outbox.partitions.Housekeeping;
import io.sluice.outbox.publishing.Sender;
import io.sluice.outbox.reading.Patience;
import io.sluice.outbox.reading.Readiness;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries events from the table to the topic: follows the members, does round after round, and sleeps when there is nothing to do.
///
/// Joins the members only when it could publish at once: from that moment on the others leave lanes to it, whose events wait until it takes them. For the same
/// reason it leaves them when the broker cannot be reached any more, and comes back when it can:
///
/// ```
///             the broker answers            nothing got through for ten seconds, the broker does not answer, and there are others
///  OUTSIDE ─────────────────────▶ MEMBER ───────────────────────────────────────────────────────────────────────────────▶ OUTSIDE
///           ([Admission])           └───────────────── a wrong setting: all is refused, and there are others ──────────────▶
/// ```
/// It goes as the dead do, without giving its lanes away: whoever takes them fences it first, so that what it has sent and knows nothing about is done or never will be.
///
/// Owned by the publishing thread; all it does is decided in `lanes` and `parking`.
final class PublishingLoop {
    private static final Logger LOG = LoggerFactory.getLogger(PublishingLoop.class);
    private static final Backoff DATABASE =
            new Backoff(Duration.ofMillis(50), Duration.ofSeconds(5));
    private static final Duration CHECK_AGAIN = Duration.ofSeconds(1);

    /// Only for the case that the ring is lost with its connection; the renewal of the lease wakes more often.
    private static final Duration UNTIL_RUNG = Duration.ofSeconds(5);

    private final ConnectionSource database;
    private final RelaySettings settings;
    private final Membership membership;
    private final Waking waking;
    private final RelayStatus status;
    private final Housekeeping housekeeping;
    private final Pulse pulse;
    private final Patience asking = new Patience(BoundedSessions.UNHURRIED);
    private final Readiness readiness;
    private final OwnedLanes lanes;
    private final Dispatch dispatch;
    private final RefusedEvents refused;
    private final TableRounds rounds;
    private final WalRounds wal;
    private final Senders senders;
    private final Admission admission;
    private final Doorbell doorbell = new Doorbell();
    private int failures; // Since the last round that was finished.

    PublishingLoop(
            ConnectionSource database,
            RelaySettings settings,
            Membership membership,
            Waking waking,
            RelayStatus status,
            Housekeeping housekeeping,
            Pulse pulse) {
        this.database = database;
        this.settings = settings;
        this.membership = membership;
        this.waking = waking;
        this.status = status;
        this.housekeeping = housekeeping;
        this.pulse = pulse;
        String outbox = settings.table().name();
        ParkingLot parkingLot = new ParkingLot(outbox, settings.parking(), settings.pageBytes());
        this.readiness = new Readiness(settings.table());
        this.lanes = new OwnedLanes(new LaneOwnership(outbox), parkingLot);
        this.dispatch =
                new Dispatch(
                        membership::seat, waking, status, lanes, this::alive, Dispatch.CUT_OFF);
        this.refused = new RefusedEvents(lanes, parkingLot, status);
        this.rounds =
                new TableRounds(settings, lanes, refused, dispatch, status, TableRounds.AT_ONCE);
        this.wal = new WalRounds(settings, lanes, dispatch, status, refused, rounds);
        this.senders =
                new Senders(settings, () -> membership.seat().filter(Seat::isTrusted).isPresent());
        this.admission = new Admission(membership, outbox, waking, status, this::alive);
    }

    void run() {
        try (senders) {
            while (!waking.isStopping()) {
                alive();
                try (Connection connection = database.open()) {
                    connection.setAutoCommit(true);
                    serve(connection);
                } catch (SQLException e) {
                    failed();
                    status.databaseFailed(e.getMessage());
                    LOG.warn("The database failed, publishing pauses: {}", e.getMessage());
                    waking.pause(DATABASE.after(failures));
                } catch (RuntimeException e) {
                    failed();
                    status.failed(e);
                    LOG.error("Publishing failed, and begins again", e);
                    waking.pause(DATABASE.after(failures));
                } catch (OutOfMemoryError e) {
                    failures++;
                    recover(e);
                } finally {
                    wal.forget();
                    lanes.forget();
                    status.owns(lanes.all(), lanes.parkedKeys().size());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// The session of the seat may be as good as before. Lanes that are taken up again at once need not change hands; but they must not stay with one who fails again and again.
    private void failed() {
        failures++;
        if (failures > 1) {
            membership.withdraw();
        }
    }

    /// What was too much for this process may not be for another one, nor later for this one. A producer in which it happened may be unfit.
    private void recover(OutOfMemoryError e) throws InterruptedException {
        membership.withdraw();
        wal.forget();
        lanes.forget();
        Survived.warn(LOG, "Publishing begins again, and others get the lanes until then", e);
        status.failed(e);
        senders.close();
        waking.pause(Admission.COME_BACK.after(failures));
    }

    private void alive() {
        Duration reading = rounds.patience();
        pulse.beat(reading.compareTo(asking.now()) > 0 ? reading : asking.now());
    }

    private void serve(Connection connection) throws SQLException, InterruptedException {
        await(connection, this::obstacle);
        if (waking.isStopping()) {
            return;
        }
        doorbell.connected(connection, settings.table());
        rounds.connected(connection);
        Sender sender = senders.of(connection);
        rounds.rehearse(connection);
        enter(connection, sender);
        while (!waking.isStopping()) {
            alive();
            Optional<Seat> seat = membership.seat().filter(Seat::isTrusted);
            if (seat.isEmpty()) {
                wal.forget();
                rounds.forget();
                lanes.forget(); // Somebody else may have them by now.
                doorbell.leave(connection);
                waking.idle(settings.idleWait());
                continue;
            }
            if (seat.get().number() != lanes.self()) {
                wal.forget();
            }
            if (lanes.wouldBegin(seat.get()) && await(connection, this::leftOver)) {
                continue; // The seat may be an old one by now.
            }
            if (lanes.follow(connection, seat.get(), sender)) {
                waking.busy();
            }
            if (housekeeping.wantsLanesSaved()) {
                lanes.saveAll(connection);
            }
            status.owns(lanes.all(), lanes.parkedKeys().size());
            boolean retried =
                    wal.mayRetry(connection, seat.get())
                            && refused.retry(connection, dispatch, sender);
            Found found = publish(connection, seat.get(), sender);
            failures = 0;
            status.databaseReached();
            if (shouldStandAside(seat.get())) {
                standAside(connection, sender);
            } else {
                rest(connection, retried ? Found.MORE : found);
            }
        }
        wal.close();
        if (!lanes.isEmpty()) {
            lanes.giveAway(connection, lanes.all().stream().map(Lane::number).toList());
        }
    }

    /// Whoever has to wait for it may still have a seat, from before its connection was lost.
    private Optional<String> obstacle(Connection connection) throws SQLException {
        Optional<String> found = readiness.obstacle(connection);
        if (found.isPresent()) {
            membership.withdraw();
        }
        return found;
    }

    /// Whoever does not read does not keep the bell: writers would ring for nobody.
    private Optional<String> leftOver(Connection connection) throws SQLException {
        Optional<String> found = readiness.leftOver(connection);
        if (found.isPresent()) {
            doorbell.leave(connection);
        }
        return found;
    }

    private void enter(Connection connection, Sender sender)
            throws SQLException, InterruptedException {
        admission.enter(connection, sender);
        dispatch.beginAgain();
    }

    /// Where the broker takes nothing from here, others may have more luck.
    private boolean shouldStandAside(Seat seat) {
        boolean hasOthers = seat.view().members().size() > 1;
        return dispatch.isCutOff() || (hasOthers && dispatch.misconfiguration().isPresent());
    }

    /// Until this relay can publish, others have the lanes.
    private void standAside(Connection connection, Sender sender)
            throws SQLException, InterruptedException {
        Optional<String> refused = dispatch.misconfiguration();
        LOG.warn("Nothing gets through to the broker from here: the other relays get the lanes");
        try {
            if (!wal.isStreaming()) {
                lanes.save(connection); // What is acknowledged need not come again.
            }
        } finally {
            membership.withdraw(); // Not before it is saved, or nobody could save it any more.
        }
        wal.forget();
        rounds.forget();
        lanes.forget();
        status.owns(lanes.all(), 0);
        doorbell.leave(connection);
        admission.standAside(connection, refused);
        enter(connection, sender);
    }

    private Found publish(Connection connection, Seat seat, Sender sender)
            throws SQLException, InterruptedException {
        if (wal.applies(connection, seat)) {
            if (wal.isStreaming()) {
                doorbell.leave(connection); // The log tells; nobody has to ring.
            }
            return wal.publish(connection, sender);
        }
        wal.leave(connection);
        return rounds.publish(connection, sender);
    }

    /// Something that must hold before events are read.
    private interface Condition {
        Optional<String> obstacle(Connection connection) throws SQLException;
    }

    /// @return whether it had to be waited for
    private boolean await(Connection connection, Condition condition)
            throws SQLException, InterruptedException {
        Optional<String> obstacle = ask(connection, condition);
        boolean waited = obstacle.isPresent();
        if (waited) {
            LOG.error("Publishing does not begin: {}", obstacle.get());
        }
        while (obstacle.isPresent() && !waking.isStopping()) {
            alive();
            status.databaseFailed(obstacle.get());
            waking.pause(CHECK_AGAIN);
            obstacle = ask(connection, condition);
        }
        if (waited) {
            status.databaseReached();
        }
        return waited;
    }

    /// Whole tables may have to be looked at.
    private Optional<String> ask(Connection connection, Condition condition) throws SQLException {
        try {
            Optional<String> obstacle =
                    BoundedSessions.within(
                            connection, asking.now(), () -> condition.obstacle(connection));
            asking.rewarded();
            return obstacle;
        } catch (SQLException e) {
            asking.exhausted();
            throw e;
        }
    }

    /// Under load the next event comes within milliseconds, so the next look is at once and nobody has to ring. Otherwise no look is
    /// wasted: sleeps until somebody rings, or, where that cannot be had yet, a little longer each time.
    private void rest(Connection connection, Found found)
            throws SQLException, InterruptedException {
        switch (found) {
            case MORE -> waking.busy();
            case ALL -> {
                waking.found();
                if (!waking.isHot()) {
                    sleep(connection);
                } else {
                    doorbell.leave(connection);
                }
            }
            case NOTHING -> {
                waking.cool();
                sleep(connection);
            }
        }
    }

    private void sleep(Connection connection) throws SQLException, InterruptedException {
        if (!doorbell.isInstalled() || lanes.isEmpty() || wal.isEntering()) {
            doorbell.leave(connection); // It looks by itself, or does not read at all.
            waking.idle(settings.idleWait());
            return;
        }
        if (!doorbell.isKept()) {
            lanes.save(connection);
            boolean due =
                    doorbell.attend(
                            connection,
                            rounds.reader().dueSql(),
                            query ->
                                    rounds.reader().bindDue(connection, query, dispatch.running()));
            if (due) {
                return;
            }
        }
        if (doorbell.isAttended()) {
            waking.untilRung(
                    lanes.parkedKeys().isEmpty() ? UNTIL_RUNG : RefusedEvents.LOOK_AT_PARKED);
            doorbell.woken();
        } else {
            waking.idle(settings.idleWait());
        }
    }
}
