package io.sluice.outbox;

import io.sluice.outbox.lanes.Event;
import io.sluice.outbox.lanes.Lane;
import io.sluice.outbox.lanes.Mode;
import io.sluice.outbox.lanes.Share;
import io.sluice.outbox.membership.LaneOwnership;
import io.sluice.outbox.membership.Members;
import io.sluice.outbox.membership.Membership.Seat;
import io.sluice.outbox.parking.ParkedKey;
import io.sluice.outbox.parking.ParkingLot;
import io.sluice.outbox.publishing.Sender;
import io.sluice.outbox.wal.Slot;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The lanes that this relay owns, what of them is not saved yet, and which keys of theirs are parked.
///
/// Owned by the publishing thread.
final class OwnedLanes {
    private static final Logger LOG = LoggerFactory.getLogger(OwnedLanes.class);

    /// Something about all lanes that is written together with them: how far a stream is.
    interface Rider {
        /// Whether it must be written with whatever is written about lanes, and so all lanes with it.
        boolean isUnsaved();

        void save(Connection connection) throws SQLException;
    }

    private static final Rider NOBODY =
            new Rider() {
                @Override
                public boolean isUnsaved() {
                    return false;
                }

                @Override
                public void save(Connection connection) {}
            };

    private final LaneOwnership ownership;
    private final ParkingLot parkingLot;
    private final Map<Integer, Lane> lanes = new TreeMap<>();
    private final Map<String, ParkedKey> parkedKeys = new HashMap<>();
    private final Set<Integer> retrying = new TreeSet<>();
    private Rider rider = NOBODY;
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

    Map<String, ParkedKey> parkedKeys() {
        return parkedKeys;
    }

    /// Whether an event has to wait behind parked ones.
    boolean isBehindParked(Event event) {
        ParkedKey key = parkedKeys.get(event.key());
        return key != null && event.ord() >= key.first();
    }

    /// Whether it is ours, and what is due of it is saved as being sent.
    boolean isBegun(int lane) {
        Lane own = lanes.get(lane);
        return own != null && own.isBegun();
    }

    /// Lanes of which parked events have been given numbers and are perhaps sent: nothing else of these lanes may be sent before they are,
    /// because consumers would take the lower numbers for repetitions.
    Set<Integer> retrying() {
        return retrying;
    }

    long self() {
        return self;
    }

    void carry(Rider with) {
        rider = with;
    }

    void carryNobody() {
        rider = NOBODY;
    }

    /// What is in memory may no longer be true: everything is read again from the database before it is used.
    void forget() {
        lanes.clear();
        parkedKeys.clear();
        retrying.clear();
        actedOnRenewal = 0;
        self = 0;
    }

    /// Whether [#follow] would take lanes though nobody has any: whatever has happened to the table meanwhile is not known to anybody. Where others have
    /// some, what they publish would wait for whoever has a share and does not take it.
    boolean wouldBegin(Seat seat) {
        return lanes.isEmpty()
                && seat.renewal() != actedOnRenewal
                && seat.view().uncovered() == seat.view().lanes()
                && Share.of(seat.view(), seat.number(), List.of()).take() > 0;
    }

    /// Acts once on every new view of the members: takes lanes that are free, gives away what is too much.
    ///
    /// @return whether lanes have come or gone
    boolean follow(Connection connection, Seat seat, Sender sender) throws SQLException {
        if (seat.number() != self) {
            forget();
            self = seat.number();
            sender.seated(self);
            took(connection, ownership.takeAgain(connection, self), sender);
        }
        if (seat.renewal() == actedOnRenewal) {
            return false;
        }
        actedOnRenewal = seat.renewal();
        Share share = Share.of(seat.view(), self, lanes.keySet());
        if (share.take() > 0) {
            return claim(connection, seat, sender, share.take());
        }
        List<Integer> give = share.give();
        if (seat.view().mode() == Mode.COMPAT) {
            // Nobody goes on where we stop, so a difference that has begun is finished first.
            give = give.stream().filter(this::isAtRest).toList();
        }
        if (!give.isEmpty()) {
            giveAway(connection, give);
            return true;
        }
        return false;
    }

    private boolean isAtRest(int number) {
        Lane lane = lanes.get(number);
        return lane != null && !lane.cursor().isOpen();
    }

    /// The dead are fenced before their lanes are touched: whoever dies between the two leaves no lane with a living ghost.
    private boolean claim(Connection connection, Seat seat, Sender sender, int count)
            throws SQLException {
        Collection<Long> gone =
                sender.fence(seat.view().gone()) ? seat.view().gone() : List.<Long>of();
        List<Lane> taken =
                Transaction.in(
                        connection,
                        () -> {
                            List<Lane> claimed = ownership.claim(connection, self, gone, count);
                            if (!claimed.isEmpty()) {
                                // So that nobody believes that they are still free.
                                Members.tellMembers(connection);
                            }
                            return claimed;
                        });
        took(connection, taken, sender);
        return !taken.isEmpty();
    }

    private void took(Connection connection, List<Lane> taken, Sender sender) throws SQLException {
        if (taken.isEmpty()) {
            return;
        }
        taken.forEach(lane -> lanes.put(lane.number(), lane));
        List<Integer> numbers = taken.stream().map(Lane::number).toList();
        parkedKeys.putAll(parkingLot.keys(connection, numbers));
        if (!parkedKeys.isEmpty()) {
            retrying.addAll(parkingLot.numbered(connection, numbers));
        }
        sender.lanesChanged();
        LOG.info("Member {} took lanes {}", self, ranges(numbers));
    }

    /// With all their progress, in one transaction, and tells the others that there is something to take.
    void giveAway(Connection connection, Collection<Integer> numbers) throws SQLException {
        if (rider.isUnsaved() && numbers.size() < lanes.size()) {
            saveAll(connection);
        }
        List<Lane> given = numbers.stream().filter(lanes::containsKey).map(lanes::get).toList();
        Transaction.in(
                connection,
                () -> {
                    boolean together = rider.isUnsaved();
                    Set<Integer> others = ownership.giveAway(connection, self, given);
                    if (together) {
                        requireNone(others);
                        rider.save(connection);
                    }
                    Members.tellMembers(connection);
                    return given;
                });
        given.forEach(lane -> drop(lane.number()));
        LOG.info("Member {} gave lanes {} away", self, ranges(numbers));
    }

    /// Writes down all progress.
    ///
    /// @return lanes that turned out to be somebody else's; they are dropped
    Set<Integer> save(Connection connection) throws SQLException {
        List<Lane> unsaved = lanes.values().stream().filter(Lane::isUnsaved).toList();
        return fenced(connection, unsaved, lost -> {});
    }

    /// Also those that have found nothing: a partition cannot go before every lane is seen to have passed it.
    void saveAll(Connection connection) throws SQLException {
        fenced(connection, List.copyOf(lanes.values()), lost -> {});
    }

    /// What is written in a transaction that has made sure that the lanes are still ours.
    interface Fenced {
        /// @param lost lanes about which nothing may be written
        void write(Set<Integer> lost) throws SQLException;
    }

    /// Saves these lanes, and does what else has to be done with them, in one transaction. Where a stream is that all lanes share is
    /// saved with all lanes or not at all: numbers behind it would be given twice.
    ///
    /// @return lanes that turned out to be somebody else's; they are dropped
    /// @throws SQLException also if some are, and something about all had to be written: nothing is saved then, whatever is in memory
    Set<Integer> fenced(Connection connection, Collection<Lane> some, Fenced action)
            throws SQLException {
        if (some.isEmpty()) {
            return Set.of();
        }
        boolean together = rider.isUnsaved();
        Collection<Lane> saved = together ? List.copyOf(lanes.values()) : some;
        Set<Integer> lost =
                Transaction.in(
                        connection,
                        () -> {
                            Set<Integer> others = ownership.save(connection, self, saved);
                            if (together) {
                                requireNone(others);
                            }
                            action.write(others);
                            if (together) {
                                rider.save(connection);
                            }
                            return others;
                        });
        lose(lost);
        return lost;
    }

    /// Whoever takes the lanes over reads again from where the stream was saved, and counts from there: numbers of some lanes that are further would make it
    /// publish what they stand for once more, with higher ones.
    ///
    /// @param others lanes that are not ours any more
    static void requireNone(Set<Integer> others) throws SQLException {
        if (!others.isEmpty()) {
            throw new SQLException(
                    "lanes %s are another relay's, so nothing is saved of a stream that all lanes share; all is read again"
                            .formatted(ranges(others)));
        }
    }

    /// Does what nobody else may do as long as all of these are ours, and keeps them ours until it is done.
    ///
    /// @return whether they were, and it is done
    boolean ifOurs(Connection connection, Slot.Action action) throws SQLException {
        return Transaction.in(
                connection,
                () -> {
                    boolean ours =
                            !lanes.isEmpty() && ownership.hold(connection, self, lanes.values());
                    if (ours) {
                        action.run();
                    }
                    return ours;
                });
    }

    void lose(Set<Integer> lost) {
        if (!lost.isEmpty()) {
            LOG.warn("Member {} has lost lanes {} to another one; it stops with them", self, lost);
            lost.forEach(this::drop);
        }
    }

    Collection<Lane> some(Collection<Integer> numbers) {
        return numbers.stream().distinct().filter(lanes::containsKey).map(lanes::get).toList();
    }

    private void drop(int lane) {
        lanes.remove(lane);
        retrying.remove(lane);
        parkedKeys.values().removeIf(key -> key.lane() == lane);
    }

    /// `0-20, 42`: 64 numbers in a row are hard to read.
    private static String ranges(Collection<Integer> numbers) {
        StringBuilder text = new StringBuilder();
        @Nullable Integer first = null;
        @Nullable Integer last = null;
        for (Integer number : new TreeSet<>(numbers)) {
            if (last == null || number != last + 1) {
                end(text, first, last);
                first = number;
            }
            last = number;
        }
        end(text, first, last);
        return text.toString();
    }

    private static void end(StringBuilder text, @Nullable Integer first, @Nullable Integer last) {
        if (first != null && last != null) {
            text.append(text.isEmpty() ? "" : ", ").append(first);
            text.append(first.equals(last) ? "" : "-" + last);
        }
    }
}
