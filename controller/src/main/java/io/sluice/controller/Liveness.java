package io.sluice.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.function.ObjIntConsumer;

/// Who is alive, as the controller sees it: by signs of life, and by looking when a connection breaks or signs of life stay away. Owned by the controller's mailbox.
///
/// ```
///              heard                                silent for the timeout, and nobody answers a look;
///   ┌───────────────────────────────┐               or the process is gone (refused)
///   ▼                               │             ┌──────────────────────────────────────────▶ dead
/// alive ── connection lost, ────▶ looked for ─────┘                                             │
///   ▲      silent for 2/3 of the    │  every 100 ms while it is unclear                          │
///   │      timeout                  │                                                           │
///   └──── it answers: once ─────────┘                                                           │
///   ▲     another timeout                  heard, in its present broker epoch                    │
///   └───────────────────────────────────────────────────────────────────────────────────────────┘
/// ```
/// Silence alone proves little on a machine that is short of CPU: taking the leaderships of a healthy broker away makes it shorter still. So whoever is silent is looked for, in time for the verdict. And
/// whoever has not been heard of by this controller yet may not have learned of it: those have three timeouts.
final class Liveness {
    static final long LOOK_AGAIN = Duration.ofMillis(100).toNanos();
    static final int FIRST_GRACE = 3;
    private static final long NEVER = Long.MAX_VALUE;

    private final long timeout;
    private final int self;
    private final SortedMap<Integer, Patient> brokers = new TreeMap<>();
    private long lastAwake;

    /// @param self always alive, to itself
    Liveness(int self, Duration timeout, long now) {
        this.self = self;
        this.timeout = timeout.toNanos();
        this.lastAwake = now;
    }

    /// What the last look since the last sign of life has shown.
    private enum Look {
        NONE,
        ANSWERED,
        SILENT
    }

    private final class Patient {
        final long epoch;
        long heard;
        long grace = (FIRST_GRACE - 1) * timeout;
        long lookAt;
        Look look = Look.NONE;
        boolean looking;
        boolean dead;

        Patient(long epoch, long now) {
            this.epoch = epoch;
            this.heard = now;
            this.lookAt = lookTime();
        }

        /// The verdict needs a look, which may take a while.
        private long lookTime() {
            return heard + timeout / 3 * 2;
        }

        void heard(long now) {
            heard = now;
            grace = 0;
            look = Look.NONE;
            looking = false;
            lookAt = lookTime();
            dead = false;
        }

        void die() {
            dead = true;
            lookAt = NEVER;
        }

        /// When it is dead if nothing is heard of it; it is looked for before.
        long deathAt() {
            return switch (look) {
                case NONE -> NEVER;
                case SILENT -> heard + grace + timeout;
                case ANSWERED -> heard + grace + 2 * timeout;
            };
        }
    }

    /// These brokers are registered. Whoever is new has time to be heard of, but for those that another controller has found dead: they have to be.
    void registered(SortedMap<Integer, Long> epochs, IntPredicate foundDead, long now) {
        brokers.keySet().retainAll(epochs.keySet());
        epochs.forEach(
                (id, epoch) -> {
                    Patient known = brokers.get(id);
                    if (known == null || known.epoch != epoch) {
                        Patient broker = new Patient(epoch, now);
                        if (id != self && foundDead.test(id)) {
                            broker.die();
                        }
                        brokers.put(id, broker);
                    }
                });
    }

    /// A sign of life. True when it makes a dead one live.
    boolean heard(int id, long epoch, long now) {
        Patient broker = brokers.get(id);
        if (broker == null || broker.epoch != epoch) {
            return false;
        }
        boolean back = broker.dead;
        broker.heard(now);
        return back;
    }

    void suspect(int id, long now) {
        Patient broker = brokers.get(id);
        if (broker != null && id != self && !broker.dead) {
            broker.lookAt = Math.min(broker.lookAt, now);
        }
    }

    /// A new controller has to find out who is there.
    void suspectAll(long now) {
        brokers.keySet().forEach(id -> suspect(id, now));
    }

    /// It was looked for elsewhere, for long enough.
    void gone(int id) {
        Patient broker = brokers.get(id);
        if (broker != null && id != self) {
            broker.die();
        }
    }

    /// Those to be looked at now; each is told once, until [#looked].
    List<Integer> toLookAt(long now) {
        List<Integer> due = new ArrayList<>();
        forOthers(
                (broker, id) -> {
                    if (broker.lookAt <= now) {
                        broker.looking = true;
                        broker.lookAt = now + timeout;
                        due.add(id);
                    }
                });
        return due;
    }

    private void forOthers(ObjIntConsumer<Patient> work) {
        brokers.forEach(
                (id, broker) -> {
                    if (id != self && !broker.dead) {
                        work.accept(broker, id);
                    }
                });
    }

    /// What a look has shown, unless something was heard meanwhile. True when the broker is dead now and was not before.
    boolean looked(int id, long epoch, Probe.Result result, long now) {
        Patient broker = brokers.get(id);
        if (broker == null || broker.epoch != epoch || broker.dead || !broker.looking) {
            return false;
        }
        broker.looking = false;
        switch (result) {
            case ALIVE -> {
                broker.look = Look.ANSWERED;
                broker.lookAt = Math.max(broker.lookTime(), now + timeout / 3);
            }
            case SILENT -> {
                broker.look = Look.SILENT;
                broker.lookAt = now + LOOK_AGAIN;
            }
            case REFUSED -> broker.die();
        }
        return broker.dead;
    }

    /// To be called often. A controller that was itself asleep has heard of nobody, and must not take that for their death.
    void awake(long now) {
        boolean overslept = now - lastAwake > timeout / 2;
        lastAwake = now;
        if (overslept) {
            forOthers(
                    (broker, _) -> {
                        broker.heard = Math.max(broker.heard, now - timeout / 2);
                        broker.look = Look.NONE;
                        broker.lookAt = Math.min(broker.lookAt, now);
                    });
        }
    }

    /// Time passes. True when somebody has died of silence.
    boolean tick(long now) {
        awake(now);
        boolean[] died = {false};
        forOthers(
                (broker, _) -> {
                    if (now >= broker.deathAt()) {
                        broker.die();
                        died[0] = true;
                    }
                });
        return died[0];
    }

    boolean isDead(int id) {
        Patient broker = brokers.get(id);
        return broker == null || broker.dead;
    }

    /// When [#awake] is due or there may be somebody to look at; with nobody else to look after, never.
    long lookAt() {
        long[] next = {NEVER};
        forOthers((broker, _) -> next[0] = Math.min(next[0], broker.lookAt));
        return next[0] == NEVER ? NEVER : Math.min(next[0], lastAwake + timeout / 4);
    }

    /// When [#tick] or [#toLookAt] may have something to say; with nobody else to look after, never.
    long nextAt() {
        long[] next = {lookAt()};
        forOthers((broker, _) -> next[0] = Math.min(next[0], broker.deathAt()));
        return next[0];
    }
}
