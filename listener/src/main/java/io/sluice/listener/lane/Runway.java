package io.sluice.listener.lane;

import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Where flights begin and end: brings a job onto a thread of its lane, finds one verdict for it, tells the source, and gives its slot back.
///
/// ```
///  start ──▶ work ──▶ back ──┐
///    cancel ──▶ decided ──▶ told ──▶ let go: the slot and its key are free
///                              └─ a dead letter: buried ──┘
/// ```
/// A flight is let go when its thread is back *and* its source has been told, whichever is later; one that ends as a dead letter when that is safe. So whoever finds
/// a key free can also know of everything that comes again and has to run before.
///
/// Thread-safe: everything about a flight is read and written under the lock.
final class Runway {
    /// After an executor has refused a job, so that a broken one is not asked in a hot loop.
    private static final Duration AFTER_BREACH = Duration.ofSeconds(1);

    private static final Settlement BEHIND =
            new Settlement.HandBack(Duration.ZERO, "the one before it went back");

    private static final Settlement UNHEARD =
            new Settlement.HandBack(Duration.ZERO, "the source did not take its dead letter");

    private final SlotsLock lock;
    private final Slots slots;
    private final Reporter reporter;
    private final LongSupplier nanoTime;
    private final JobRun.Pause pause;
    private final Runnable roomAppeared;
    private final CpuClock cpu = CpuClock.ofThisJvm();
    private final AllocationMeter allocation = AllocationMeter.ofThisJvm();

    Runway(
            SlotsLock lock,
            Slots slots,
            Reporter reporter,
            LongSupplier nanoTime,
            JobRun.Pause pause,
            Runnable roomAppeared) {
        this.lock = lock;
        this.slots = slots;
        this.reporter = reporter;
        this.nanoTime = nanoTime;
        this.pause = pause;
        this.roomAppeared = roomAppeared;
    }

    // Begin

    void start(Flight flight) {
        try {
            var task = new Task(flight);
            if (flight.lane.settings().executor() instanceof WorkerPool pool) {
                pool.execute(task::work, task::land);
            } else {
                flight.lane.settings().executor().execute(task);
            }
        } catch (RuntimeException | Error e) {
            breached(flight, e);
        }
    }

    /// The executor refused although there was a slot: its size and the lane's limit contradict each other. Somebody has to know, but
    /// the message is not to blame.
    private void breached(Flight flight, Throwable cause) {
        lock.run(() -> flight.lane.tally().breaches++);
        boolean decided = lock.locked(() -> flight.verdict != null);
        // Going back would take along those behind it.
        if (flight.orderKey == null || decided || !isStartedLater(flight)) {
            land(flight, new Settlement.HandBack(AFTER_BREACH, "the executor refused it"));
        }
        reporter.breached(flight, cause);
    }

    /// @return false when not even that is possible
    private boolean isStartedLater(Flight flight) {
        try {
            Thread.ofVirtual().start(() -> startLater(flight));
            return true;
        } catch (RuntimeException | Error e) {
            return false;
        }
    }

    private void startLater(Flight flight) {
        try {
            pause.sleep(AFTER_BREACH);
            start(flight);
        } catch (InterruptedException e) {
            land(flight, new Settlement.HandBack(Duration.ZERO, "interrupted before it began"));
        }
    }

    /// A flight's time on a thread of its lane.
    private final class Task implements Runnable {
        private final Flight flight;
        private Settlement outcome = new Settlement.HandBack(AFTER_BREACH, "never ran");

        Task(Flight flight) {
            this.flight = flight;
        }

        @Override
        public void run() {
            try {
                work();
            } finally {
                land();
            }
        }

        void work() {
            boolean wanted =
                    lock.locked(
                            () -> {
                                flight.runner = Thread.currentThread();
                                flight.cpuSeenNanos = cpu.nanosOf(flight.runner);
                                flight.allocatedBeforeBytes = allocation.bytesOf(flight.runner);
                                return flight.verdict == null;
                            });
            try {
                if (wanted) {
                    outcome = new JobRun(flight, pause, this::failedInPlace).run();
                }
            } finally {
                // Under the lock, so that a cancellation hits this job or none, never the thread's
                // next one.
                lock.run(
                        () -> {
                            meter(flight);
                            flight.runner = null;
                        });
                Thread.interrupted();
            }
        }

        private void failedInPlace() {
            lock.run(() -> flight.lane.tally().retried++);
            reporter.retriedInPlace(flight);
        }

        void land() {
            Runway.this.land(flight, outcome);
        }
    }

    /// Looks what its job has used so far. Under the lock.
    void meter(Flight flight) {
        if (flight.runner != null) {
            long nanos = cpu.nanosOf(flight.runner);
            flight.lane.tally().cpuNanos += Math.max(0, nanos - flight.cpuSeenNanos);
            flight.cpuSeenNanos = nanos;
            long bytes = allocation.bytesOf(flight.runner);
            flight.allocatedBytes =
                    bytes == AllocationMeter.UNKNOWN
                            ? AllocationMeter.UNKNOWN
                            : bytes - flight.allocatedBeforeBytes;
        }
    }

    // End

    /// Its thread is back: this is the verdict, unless one was found before.
    private void land(Flight flight, Settlement outcome) {
        boolean first =
                lock.locked(
                        () -> {
                            flight.back = true;
                            flight.endedNanos = nanoTime.getAsLong();
                            return slots.decide(flight, outcome);
                        });
        if (first) {
            tell(flight, outcome);
        } else if (lock.locked(flight::takeLeave)) {
            letGo(flight);
        }
    }

    /// Finds the verdict in the job's place. Its slot comes back when its thread does.
    void cancel(Flight flight, Settlement verdict, String why) {
        boolean first =
                lock.locked(
                        () -> {
                            if (!slots.decide(flight, verdict)) {
                                return false;
                            }
                            flight.cancelled = why;
                            if (flight.runner != null) {
                                flight.runner.interrupt();
                            }
                            // What waits has no thread that would have to come back.
                            flight.back |= flight.state == Flight.State.WAITING;
                            return true;
                        });
        if (first) {
            tell(flight, verdict);
        }
    }

    private void tell(Flight flight, Settlement verdict) {
        boolean heard = false;
        try {
            heard = reporter.settle(flight.message, verdict);
        } finally {
            told(flight, heard);
        }
    }

    private void told(Flight flight, boolean heard) {
        boolean ends =
                lock.locked(
                        () -> {
                            slots.told(flight);
                            if (!heard) {
                                slots.buried(flight, UNHEARD); // nobody else will say so
                            }
                            return flight.takeLeave();
                        });
        if (ends) {
            letGo(flight);
        }
    }

    /// The source says what has become of the flight's dead letter.
    ///
    /// @param instead what its message ended with if it could not be stored
    void buried(Flight flight, @Nullable Settlement instead) {
        boolean ends =
                lock.locked(
                        () -> {
                            slots.buried(flight, instead);
                            return flight.takeLeave();
                        });
        if (ends) {
            letGo(flight);
        }
    }

    /// Where every flight ends. Whatever fails before its slot is free, such as memory, the slot is not lost: see [#letGoOfThoseLeft].
    ///
    /// @return whether its slot is free
    private boolean letGo(Flight flight) {
        boolean ran = flight.state == Flight.State.RUNNING;
        long now;
        Flight next;
        try {
            now = nanoTime.getAsLong();
            next = depart(flight, now);
        } catch (RuntimeException | Error e) {
            flight.stay();
            reporter.endedBadly(flight, e);
            return false;
        }
        if (next != null) {
            start(next);
        }
        reporter.landed(flight, now, ran);
        roomAppeared.run();
        return true;
    }

    /// Those behind it that must not overtake it go back first, and with them those that come while they are told: its key is free only when nobody is behind it who does not
    /// know.
    ///
    /// @return whose turn it is
    private @Nullable Flight depart(Flight flight, long nowNanos) {
        while (true) {
            Slots.Departure departure = lock.change(() -> slots.depart(flight, BEHIND, nowNanos));
            if (departure.landed()) {
                return departure.next();
            }
            // By number, since an iterator takes memory, and they have their verdicts already.
            for (int i = 0; i < departure.behind().size(); i++) {
                goesBack(departure.behind().get(i));
            }
        }
    }

    /// Whatever happens at its end, the others hear of theirs: who has a verdict and was not told would keep its slot for ever.
    private void goesBack(Flight follower) {
        try {
            tell(follower, BEHIND);
        } catch (RuntimeException | Error e) {
            reporter.endedBadly(follower, e);
        }
    }

    /// Called now and then: those that have ended, and could not be let go.
    void letGoOfThoseLeft() {
        boolean goesOn = true;
        while (goesOn) {
            Flight left = lock.<@Nullable Flight>locked(slots::takeLeave);
            goesOn = left != null && letGo(left);
        }
    }
}
