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
///           another's, free for 5 s
///   others' ───────────────────────▶ held ───────────────────────▶ others'
/// ```
/// Parts of one total overlap with those of another: instances that work have the same. An instance takes a part only if, after it has announced its total, the
/// roll shows nobody with another one, or somebody who works with its own. Of two who disagree at least one sees the other, and whoever works goes on: it
/// need not stop for an instance that was started with a wrong total, or with that of tomorrow. That one waits until those with the other have gone.
///
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
    private boolean isStandby;
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

    /// None if this instance has to wait.
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

    /// Whether all that is wrong is that another instance works on its part, as of a standby, or of one that is started before its predecessor has stopped.
    boolean isStandby() {
        return isStandby;
    }

    /// @return what is wrong, for people; empty if nothing is. Whether there is work tells [#held]
    Optional<String> sit(Connection connection) throws SQLException {
        Roll roll = seats.roll(connection);
        Optional<String> disagreement = disagreement(roll);
        if (disagreement.isPresent() && !isWorkedHere(roll)) {
            isStandby = false;
            missingSinceNanos.clear(); // Parts of others' total have the same numbers.
            uncovered =
                    roll.worked().map(worked -> worked - roll.covered(worked).size()).orElse(total);
            return disagreement;
        }
        if (!held.contains(own) && !take(connection, own, ORPHANED)) {
            missingSinceNanos.clear();
            uncovered = total - roll.covered(total).size();
            isStandby = disagreement.isEmpty();
            return disagreement.or(
                    () ->
                            Optional.of(
                                    "the part of %s=%d is worked on by another instance; this one waits for it, and takes over if the other dies"
                                            .formatted(CompatSettings.INSTANCE_ID, own)));
        }
        if (isStandby) {
            isStandby = false;
            LOG.info("The part of {}={} is this instance's now", CompatSettings.INSTANCE_ID, own);
        }
        adopt(connection, roll);
        return disagreement;
    }

    /// Whether this instance's total is that of those who work.
    private boolean isWorkedHere(Roll roll) {
        return roll.worked().filter(worked -> worked == total).isPresent();
    }

    private Optional<String> disagreement(Roll roll) {
        SortedSet<Integer> totals = roll.totals();
        if (totals.size() <= 1) {
            return Optional.empty();
        }
        return Optional.of(
                "instances disagree: %s is %s, depending on whom you ask (%s); %s until all have the same value"
                        .formatted(
                                CompatSettings.TOTAL_INSTANCES,
                                totals,
                                roll.beliefs(),
                                whoGoesOn(roll)));
    }

    private String whoGoesOn(Roll roll) {
        String one = isWorkedHere(roll) ? "this one too; the others claim" : "this one claims";
        return roll.worked()
                .map(worked -> "those with %d go on, %s nothing".formatted(worked, one))
                .orElse("nothing is claimed");
    }

    /// Works for instances that are not there; stops when they are.
    private void adopt(Connection connection, Roll roll) throws SQLException {
        SortedSet<Integer> covered = roll.covered(total);
        covered.addAll(held);
        SortedSet<Integer> back = roll.present(total);
        back.retainAll(held);
        back.remove(own);
        giveBack(connection, back);
        covered.removeAll(back);
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
