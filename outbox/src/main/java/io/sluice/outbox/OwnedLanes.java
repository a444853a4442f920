package io.sluice.outbox;

import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.Numbered;
import io.sluice.outbox.lanes.Share;
import io.sluice.outbox.membership.LaneOwnership;
import io.sluice.outbox.membership.Members;
import io.sluice.outbox.membership.Membership.Seat;
import io.sluice.outbox.parking.ParkingLot;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The lanes that this relay owns, what of them is not saved yet, and which keys of theirs are parked.
///
/// Owned by the publishing thread.
final class OwnedLanes {
    private static final Logger LOG = LoggerFactory.getLogger(OwnedLanes.class);

    private final LaneOwnership ownership;
    private final ParkingLot parkingLot;
    private final Map<Integer, Lane> lanes = new TreeMap<>();
    private final Map<String, Integer> parkedKeys = new HashMap<>();
    private final List<Numbered> waiting = new ArrayList<>();
    private long self;
    private long actedOnRenewal;

    OwnedLanes(LaneOwnership ownership, ParkingLot parkingLot) {
        this.ownership = ownership;
        this.parkingLot = parkingLot;
    }

    Collection<Lane> all() {
        return lanes.values();
    }

    boolean isEmpty() {
        return lanes.isEmpty();
    }

    Map<String, Integer> parkedKeys() {
        return parkedKeys;
    }

    long self() {
        return self;
    }

    /// What is in memory may no longer be true: everything is read again from the database before it is used.
    void forget() {
        lanes.clear();
        parkedKeys.clear();
        waiting.clear();
        actedOnRenewal = 0;
        self = 0;
    }

    /// Acts once on every new view of the members: takes lanes that are free, gives away what is too much.
    ///
    /// @return whether lanes have come or gone
    boolean follow(Connection connection, Seat seat) throws SQLException {
        if (seat.number() != self) {
            forget();
            self = seat.number();
            took(connection, ownership.owned(connection, self));
            connection.commit();
        }
        if (seat.renewal() == actedOnRenewal) {
            return false;
        }
        actedOnRenewal = seat.renewal();
        Share share = Share.of(seat.view(), self, lanes.keySet());
        if (share.take() > 0) {
            List<Lane> taken = ownership.claim(connection, self, seat.view().gone(), share.take());
            took(connection, taken);
            if (!taken.isEmpty()) {
                Members.tellMembers(
                        connection); // So that nobody believes that they are still free.
            }
            connection.commit();
            return !taken.isEmpty();
        }
        if (!share.give().isEmpty()) {
            giveAway(connection, share.give());
            return true;
        }
        return false;
    }

    private void took(Connection connection, List<Lane> taken) throws SQLException {
        if (taken.isEmpty()) {
            return;
        }
        taken.forEach(lane -> lanes.put(lane.number(), lane));
        List<Integer> numbers = taken.stream().map(Lane::number).toList();
        parkedKeys.putAll(parkingLot.keys(connection, numbers));
        LOG.info("Member {} took lanes {}", self, numbers);
    }

    /// With all their progress, in one transaction, and tells the others that there is something to take.
    void giveAway(Connection connection, Collection<Integer> numbers) throws SQLException {
        save(connection);
        List<Lane> given = numbers.stream().filter(lanes::containsKey).map(lanes::get).toList();
        ownership.giveAway(connection, self, given);
        Members.tellMembers(connection);
        connection.commit();
        given.forEach(lane -> drop(lane.number()));
        LOG.info("Member {} gave lanes {} away", self, numbers);
    }

    /// Writes down all progress, and the events that wait behind parked ones, in the running transaction.
    ///
    /// @return lanes that turned out to be somebody else's; they are dropped
    Set<Integer> save(Connection connection) throws SQLException {
        List<Lane> unsaved = lanes.values().stream().filter(Lane::isUnsaved).toList();
        if (unsaved.isEmpty()) {
            return Set.of();
        }
        Set<Integer> lost = ownership.save(connection, self, unsaved);
        if (!lost.isEmpty()) {
            LOG.warn("Member {} has lost lanes {} to another one; it stops with them", self, lost);
            lost.forEach(this::drop);
        }
        parkingLot.waitBehind(connection, waiting);
        waiting.clear();
        return lost;
    }

    /// Fences: afterwards the running transaction may write about the lane, or the lane is dropped.
    boolean isStillOurs(Connection connection, int number) throws SQLException {
        Lane lane = lanes.get(number);
        if (lane == null) {
            return false;
        }
        boolean lost = !ownership.save(connection, self, List.of(lane)).isEmpty();
        if (lost) {
            drop(number);
        }
        return !lost;
    }

    /// To be saved with the lanes.
    void wait(Collection<Numbered> behind) {
        waiting.addAll(behind);
    }

    void drop(int lane) {
        lanes.remove(lane);
        parkedKeys.values().removeIf(of -> of == lane);
        waiting.removeIf(event -> event.event().lane() == lane);
    }
}
