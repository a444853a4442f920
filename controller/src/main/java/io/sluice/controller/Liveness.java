package io.sluice.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.function.LongUnaryOperator;

/// Who is alive, as the controller sees it: by signs of life, and by looking when a connection breaks. Owned by the controller's mailbox.
///
/// ```
///              heard                          no sign of life for the timeout,
///   ┌────────────────────────────┐            or the process is gone (refused)
///   ▼                            │          ┌──────────────────────────────────▶ dead
/// alive ── connection lost ──▶ suspect ─────┘                                     │
///   ▲                            │  looked at every 100 ms while it is unclear      │
///   └──── somebody listens ──────┘                                                │
///   ▲                                 heard, in its present broker epoch            │
///   └─────────────────────────────────────────────────────────────────────────────┘
/// ```
final class Liveness {
    static final long LOOK_AGAIN = Duration.ofMillis(100).toNanos();
    private static final long NEVER = Long.MAX_VALUE;

    private final long timeout;
    private final int self;
    private final SortedMap<Integer, Patient> brokers = new TreeMap<>();
    private long lastLook;

    /// @param self always alive, to itself
    Liveness(int self, Duration timeout, long now) {
        this.self = self;
        this.timeout = timeout.toNanos();
        this.lastLook = now;
    }

    private static final class Patient {
        final long epoch;
        long heard;
        long lookAt = NEVER;
        boolean dead;

        Patient(long epoch, long heard) {
            this.epoch = epoch;
            this.heard = heard;
        }
    }

    /// These brokers are registered. Whoever is new has a whole timeout, but for those that another controller has found dead: they have to be heard of.
    void registered(SortedMap<Integer, Long> epochs, IntPredicate foundDead, long now) {
        brokers.keySet().retainAll(epochs.keySet());
        epochs.forEach(
                (id, epoch) -> {
                    Patient known = brokers.get(id);
                    if (known == null || known.epoch != epoch) {
                        Patient broker = new Patient(epoch, now);
                        broker.dead = id != self && foundDead.test(id);
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
        broker.heard = now;
        broker.dead = false;
        broker.lookAt = NEVER;
        return back;
    }

    void suspect(int id, long now) {
        Patient broker = brokers.get(id);
        if (broker != null && id != self && !broker.dead) {
            broker.lookAt = Math.min(broker.lookAt, now);
        }
    }

    /// Those to be looked at now; each is told once, until [#looked].
    List<Integer> toLookAt(long now) {
        List<Integer> due = new ArrayList<>();
        brokers.forEach(
                (id, broker) -> {
                    if (broker.lookAt <= now) {
                        broker.lookAt = now + timeout;
                        due.add(id);
                    }
                });
        return due;
    }

    /// True when the broker is dead now and was not before.
    boolean looked(int id, long epoch, Probe.Result result, long now) {
        Patient broker = brokers.get(id);
        if (broker == null || broker.epoch != epoch || broker.dead || broker.lookAt == NEVER) {
            return false;
        }
        switch (result) {
            case ALIVE -> broker.lookAt = NEVER;
            case SILENT -> broker.lookAt = now + LOOK_AGAIN;
            case REFUSED -> {
                broker.lookAt = NEVER;
                broker.dead = true;
            }
        }
        return broker.dead;
    }

    /// Time passes. True when somebody has died of silence.
    ///
    /// A controller that was itself asleep has heard of nobody, and must not take that for their death.
    boolean tick(long now) {
        boolean overslept = now - lastLook > timeout / 2;
        lastLook = now;
        boolean died = false;
        for (var entry : brokers.entrySet()) {
            Patient broker = entry.getValue();
            if (overslept && !broker.dead) {
                broker.heard = Math.max(broker.heard, now - timeout / 2);
            }
            if (entry.getKey() != self && !broker.dead && now - broker.heard >= timeout) {
                broker.dead = true;
                broker.lookAt = NEVER;
                died = true;
            }
        }
        return died;
    }

    boolean isDead(int id) {
        Patient broker = brokers.get(id);
        return broker == null || broker.dead;
    }

    /// When [#tick] or [#toLookAt] may have something to say; with nobody else to look after, never.
    long nextAt() {
        LongUnaryOperator often = at -> Math.min(at, lastLook + timeout / 4);
        long next = NEVER;
        for (var entry : brokers.entrySet()) {
            Patient broker = entry.getValue();
            if (entry.getKey() != self && !broker.dead) {
                next = Math.min(next, Math.min(broker.lookAt, broker.heard + timeout));
                next = often.applyAsLong(next);
            }
        }
        return next;
    }
}
