package io.sluice.listener.lane;

import io.sluice.listener.lane.Lane.Admission;
import io.sluice.listener.lane.Slots.Landing;
import io.sluice.listener.limit.Limit;
import io.sluice.listener.limit.Pressure;
import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All lanes of a listener, and the threads' way through them: room is reserved before a poll, a message takes a slot of its lane, its job
/// runs, and whatever happens the slot comes back in [#land].
///
/// Thread-safe: one lock around [Slots]. It is never held while foreign code runs (work, source, executor, observer).
public final class Lanes implements Intake {
    private static final Logger log = LoggerFactory.getLogger(Lanes.class);

    /// After an executor has refused a job, so that a broken one is not asked in a hot loop.
    private static final Duration AFTER_BREACH = Duration.ofSeconds(1);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Slots slots;
    private final List<Runnable> roomCallbacks = new CopyOnWriteArrayList<>();
    private final Classifier classifier;
    private final Reporter reporter;
    private final LongSupplier nanoTime;
    private final JobRun.Pause pause;
    private final CpuClock cpu = CpuClock.ofThisJvm();

    /// @param settler where verdicts go: the source
    public Lanes(
            List<LaneSettings> settings,
            Classifier classifier,
            BiConsumer<Message, Settlement> settler,
            LaneObserver observer) {
        this(settings, classifier, settler, observer, System::nanoTime, Thread::sleep);
    }

    Lanes(
            List<LaneSettings> settings,
            Classifier classifier,
            BiConsumer<Message, Settlement> settler,
            LaneObserver observer,
            LongSupplier nanoTime,
            JobRun.Pause pause) {
        this.slots = new Slots(settings);
        this.classifier = classifier;
        this.reporter = new Reporter(settler, observer);
        this.nanoTime = nanoTime;
        this.pause = pause;
    }

    // Room

    @Override
    public Reservation reserve(int most) {
        return locked(() -> new Room(slots.reserve(most)));
    }

    @Override
    public Reservation awaitRoom(int most) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!slots.closed()) {
                long paused = slots.pauseNanos(now());
                if (paused > 0) {
                    changed.awaitNanos(paused);
                } else if (slots.free() > 0) {
                    return new Room(slots.reserve(most));
                } else {
                    changed.await();
                }
            }
            return new Room(0);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onRoom(Runnable callback) {
        roomCallbacks.add(callback);
    }

    private void roomAppeared() {
        roomCallbacks.forEach(Runnable::run);
    }

    /// Room for the messages of one poll.
    private final class Room implements Reservation {
        private final int size;
        private int left;

        Room(int size) {
            this.size = size;
            this.left = size;
        }

        @Override
        public int size() {
            return size;
        }

        @Override
        public void deliver(List<Message> messages) {
            int admitted = 0;
            for (Message message : messages) {
                if (enter(message, this)) {
                    admitted++;
                }
            }
            int found = admitted;
            change(() -> slots.polled(messages.size(), found, now()));
        }

        /// Under the lock: the slot is the message's now, or nobody's.
        void use() {
            if (left > 0) {
                left--;
                slots.giveBack(1);
            }
        }

        @Override
        public void close() {
            boolean some =
                    locked(
                            () -> {
                                int unused = left;
                                slots.giveBack(unused);
                                left = 0;
                                changed.signalAll();
                                return unused > 0;
                            });
            if (some) {
                roomAppeared();
            }
        }
    }

    // In

    /// @return whether the message got a slot
    private boolean enter(Message message, Room room) {
        Lane lane;
        try {
            lane = slots.requireLane(classifier.laneOf(message));
        } catch (RuntimeException e) {
            log.error("No lane for {}, it becomes a dead letter", message, e);
            change(room::use);
            reporter.settle(message, new Settlement.DeadLetter(e, message.attempt()));
            return false;
        }
        Flight flight = new Flight(message, lane, now());
        Admission admission =
                locked(
                        () -> {
                            room.use();
                            return slots.admit(flight, now());
                        });
        switch (admission) {
            case RUNS -> start(flight);
            case WAITS -> {} // whoever lands before it starts it
            case FULL -> refuse(flight);
        }
        return admission != Admission.FULL;
    }

    @Override
    public @Nullable String orderOf(Message message) {
        try {
            LaneSettings lane = slots.requireLane(classifier.laneOf(message)).settings();
            String key = lane.order().keyOf(message);
            return key == null ? null : lane.name() + "/" + key;
        } catch (RuntimeException e) {
            return null; // it will be a dead letter
        }
    }

    @Override
    public int room(String lane) {
        return locked(() -> slots.closed() ? 0 : slots.requireLane(lane).free());
    }

    private void refuse(Flight flight) {
        String lane = flight.lane.settings().name();
        Settlement back =
                locked(
                        () ->
                                slots.closed()
                                        ? new Settlement.HandBack(
                                                Duration.ZERO, "the listener stops")
                                        : new Settlement.HandBack(
                                                flight.lane.handBackDelay(now()),
                                                "lane " + lane + " is full",
                                                lane));
        reporter.refused(flight);
        reporter.settle(flight.message, back);
    }

    // Work

    private void start(Flight flight) {
        var task = new Task(flight);
        try {
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
        change(() -> flight.lane.tally().breaches++);
        reporter.breached(flight, cause);
        if (flight.orderKey == null) {
            land(flight, new Settlement.HandBack(AFTER_BREACH, "the executor refused it"));
        } else {
            // Going back would let those behind it overtake.
            Thread.ofVirtual().start(() -> startLater(flight));
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
                    locked(
                            () -> {
                                flight.runner = Thread.currentThread();
                                flight.cpuSeenNanos = cpu.nanosOf(flight.runner);
                                return flight.verdict == null;
                            });
            try {
                if (wanted) {
                    outcome = new JobRun(flight, pause).run();
                }
            } finally {
                // Under the lock, so that a cancellation hits this job or none, never the thread's
                // next one.
                change(
                        () -> {
                            countCpu(flight);
                            flight.runner = null;
                        });
                Thread.interrupted();
            }
        }

        void land() {
            Lanes.this.land(flight, outcome);
        }
    }

    /// Under the lock.
    private void countCpu(Flight flight) {
        if (flight.runner != null) {
            long nanos = cpu.nanosOf(flight.runner);
            flight.lane.tally().cpuNanos += Math.max(0, nanos - flight.cpuSeenNanos);
            flight.cpuSeenNanos = nanos;
        }
    }

    // Out

    /// The end of every flight, however it went: the verdict is told, unless one was found before, and the slot comes back.
    private void land(Flight flight, Settlement outcome) {
        try {
            if (locked(() -> slots.decide(flight, outcome))) {
                reporter.settle(flight.message, outcome);
            }
        } finally {
            release(flight);
        }
    }

    private void release(Flight flight) {
        long now = now();
        boolean ran = flight.state == Flight.State.RUNNING;
        Landing landing =
                locked(
                        () -> {
                            changed.signalAll();
                            return slots.land(flight, now);
                        });
        released(flight, landing, now, ran);
    }

    private void released(Flight flight, Landing landing, long now, boolean ran) {
        for (Flight follower : landing.goBack()) {
            var back = new Settlement.HandBack(Duration.ZERO, "the one before it went back");
            if (locked(() -> slots.decide(follower, back))) {
                reporter.settle(follower.message, back);
            }
            reporter.landed(follower, now, false);
        }
        reporter.landed(flight, now, ran);
        if (landing.next() != null) {
            start(landing.next());
        }
        roomAppeared();
    }

    @Override
    public void lost(Message message, String why) {
        Flight flight = this.<@Nullable Flight>locked(() -> slots.find(message));
        if (flight != null) {
            cancel(flight, new Settlement.Lost(why), why);
        }
    }

    @Override
    public void overdue(Message message, String why) {
        Flight flight = this.<@Nullable Flight>locked(() -> slots.find(message));
        if (flight != null) {
            cancel(flight, locked(() -> JobRun.tooLong(flight, why)), why);
        }
    }

    /// Finds the verdict in the job's place. Its slot comes back when its thread does.
    private void cancel(Flight flight, Settlement verdict, String why) {
        long now = now();
        @Nullable Landing[] landing = {null};
        boolean first =
                locked(
                        () -> {
                            if (!slots.decide(flight, verdict)) {
                                return false;
                            }
                            flight.cancelled = why;
                            if (flight.runner != null) {
                                flight.runner.interrupt();
                            }
                            if (flight.state == Flight.State.WAITING) {
                                // At once, before its predecessor could start it.
                                landing[0] = slots.land(flight, now);
                                changed.signalAll();
                            }
                            return true;
                        });
        if (!first) {
            return;
        }
        reporter.settle(flight.message, verdict);
        if (landing[0] != null) {
            released(flight, landing[0], now, false);
        }
    }

    // From outside

    /// Changes a lane's limit while it runs.
    public void limit(String lane, int limit) {
        change(() -> slots.limit(lane, limit, now()));
        roomAppeared();
    }

    /// Lets another policy decide a lane's limit from now on; a calibration does that for a while.
    ///
    /// @return the one so far
    public Limit limit(String lane, Limit policy) {
        Limit before = locked(() -> slots.limit(lane, policy, now()));
        change(() -> {});
        roomAppeared();
        return before;
    }

    /// Lets adaptive limits learn from what has happened.
    public void tick(Pressure pressure) {
        boolean moved =
                locked(
                        () -> {
                            slots.flights().forEach(this::countCpu);
                            changed.signalAll();
                            return slots.tick(pressure, now());
                        });
        if (moved) {
            roomAppeared();
        }
    }

    public List<LaneState> states() {
        return locked(() -> slots.states(now()));
    }

    /// Room that polls in progress have been promised.
    public int reserved() {
        return locked(slots::reserved);
    }

    /// Takes no more; what has not begun goes back at once.
    public void stop() {
        List<Flight> unbegun =
                locked(
                        () -> {
                            slots.close();
                            changed.signalAll();
                            return slots.flights().stream()
                                    .filter(flight -> flight.state == Flight.State.WAITING)
                                    .toList();
                        });
        for (Flight flight : unbegun) {
            String why = "the listener stops";
            cancel(flight, new Settlement.HandBack(Duration.ZERO, why), why);
        }
        roomAppeared();
    }

    /// @return whether everything has landed in time
    public boolean awaitLanded(Duration patience) throws InterruptedException {
        long left = patience.toNanos();
        lock.lockInterruptibly();
        try {
            while (!slots.flights().isEmpty() && left > 0) {
                left = changed.awaitNanos(left);
            }
            return slots.flights().isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /// The end of patience: what still runs is interrupted, and its message goes back, so that it is in flight to nobody.
    public void abandon(String why) {
        for (Flight flight : locked(() -> List.copyOf(slots.flights()))) {
            cancel(flight, new Settlement.HandBack(Duration.ZERO, why), why);
        }
    }

    private long now() {
        return nanoTime.getAsLong();
    }

    private void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private <T extends @Nullable Object> T locked(Supplier<T> read) {
        lock.lock();
        try {
            return read.get();
        } finally {
            lock.unlock();
        }
    }
}
