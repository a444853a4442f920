package io.sluice.outbox.compat;

import io.sluice.outbox.OutboxTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The parts that an instance works on: the one that its id names, and those that nobody has worked on for a while.
///
/// ```
///            its id's, and free            its own instance is there,
///           another's, free for 5 s        or instances disagree
///   others' ───────────────────────▶ held ───────────────────────▶ others'
/// ```
/// What a former owner of a part has left in `SENDING` is inherited: it is claimed before its lease is over, but not before that owner, which may live and
/// have lost its session only, has noticed that ([GuardedProducer]).
///
/// Used by one thread, on one session at a time; how many parts nobody works on may be asked by others.
final class Parts {
    private static final Logger LOG = LoggerFactory.getLogger(Parts.class);
    static final Duration ORPHANED = Duration.ofSeconds(5);

    private final StaticSeats seats;
    private final int own;
    private final int total;
    private final SortedSet<Integer> held = new TreeSet<>();
    private final Map<Integer, Long> inheritedFromNanos = new HashMap<>(); // Until searched.
    private final Map<Integer, Long> missingSinceNanos = new HashMap<>();
    private long heirFromNanos;
    private volatile int uncovered;

    Parts(OutboxTable table, CompatSettings settings) {
        this.seats = new StaticSeats(table);
        this.own = settings.instanceId();
        this.total = settings.totalInstances();
    }

    /// On a new session, which holds nothing yet.
    ///
    /// @param heirFromNanos from when on what others have left may be claimed before its lease is over
    void begin(Connection connection, long heirFromNanos) throws SQLException {
        held.clear();
        inheritedFromNanos.clear();
        missingSinceNanos.clear();
        this.heirFromNanos = heirFromNanos;
        seats.announce(connection, own, total);
    }

    SortedSet<Integer> held() {
        return held;
    }

    /// Those of which what somebody else has left may be claimed now.
    SortedSet<Integer> inherited() {
        long now = System.nanoTime();
        SortedSet<Integer> inherited = new TreeSet<>();
        inheritedFromNanos.forEach(
                (part, from) -> {
                    if (now - from >= 0) {
                        inherited.add(part);
                    }
                });
        return inherited;
    }

    /// Nothing is left in these of what others had claimed.
    void searched(Collection<Integer> parts) {
        inheritedFromNanos.keySet().removeAll(parts);
    }

    /// How many nobody works on.
    int uncovered() {
        return uncovered;
    }

    /// @return why there is no part to work on, for people; empty if there is one
    Optional<String> sit(Connection connection) throws SQLException {
        Roll roll = seats.roll(connection);
        SortedSet<Integer> totals = roll.totals();
        if (totals.size() > 1) {
            giveBack(connection, new TreeSet<>(held));
            missingSinceNanos.clear();
            uncovered = total;
            return Optional.of(
                    "instances disagree: %s is %s, depending on whom you ask (%s); nothing is claimed until all have the same value"
                            .formatted(
                                    CompatSettings.TOTAL_INSTANCES,
                                    totals,
                                    roll.beliefs()));
        }
        if (!held.contains(own) && !take(connection, own, ORPHANED)) {
            missingSinceNanos.clear();
            uncovered = total - roll.covered(total).size();
            return Optional.of(
                    "the part of %s=%d is worked on by another instance; this one waits for it, and takes over if the other dies"
                            .formatted(CompatSettings.INSTANCE_ID, own));
        }
        adopt(connection);
        return Optional.empty();
    }

    /// Works for instances that are not there; stops when they are.
    private void adopt(Connection connection) throws SQLException {
        SortedSet<Integer> back = seats.roll(connection).present(total);
        back.retainAll(held);
        back.remove(own);
        giveBack(connection, back);
        SortedSet<Integer> covered = seats.roll(connection).covered(total);
        long now = System.nanoTime();
        for (int part = 0; part < total; part++) {
            if (covered.contains(part)) {
                missingSinceNanos.remove(part);
            } else if (now - missingSinceNanos.computeIfAbsent(part, missing -> now)
                            > ORPHANED.toNanos()
                    && take(connection, part, Duration.ZERO)) {
                LOG.warn(
                        "Nobody has {}={}; this instance works for it",
                        CompatSettings.INSTANCE_ID,
                        part);
                covered.add(part);
            }
        }
        uncovered = total - covered.size();
    }

    /// @param wait until what is inherited with it may be claimed
    /// @return whether the part is ours now
    private boolean take(Connection connection, int part, Duration wait) throws SQLException {
        boolean isTaken = seats.take(connection, part);
        if (isTaken) {
            held.add(part);
            long from = System.nanoTime() + wait.toNanos();
            inheritedFromNanos.put(part, heirFromNanos - from > 0 ? heirFromNanos : from);
        }
        return isTaken;
    }

    private void giveBack(Connection connection, SortedSet<Integer> given) throws SQLException {
        for (int part : given) {
            seats.giveBack(connection, part);
            held.remove(part);
            inheritedFromNanos.remove(part);
        }
    }
}
