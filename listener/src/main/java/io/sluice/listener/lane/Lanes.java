package io.sluice.listener.lane;

import io.sluice.listener.lane.Lane.Admission;
import io.sluice.listener.limit.Limit;
import io.sluice.listener.limit.Pressure;
import io.sluice.listener.message.Intake;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All lanes of a listener, and the way into them: room is reserved before a poll, and a message takes a slot of its lane. What happens then, until the
/// slot comes back, is the [Runway]'s.
///
/// Thread-safe: one lock around [Slots].
public final class Lanes implements Intake {
    private static final Logger log = LoggerFactory.getLogger(Lanes.class);

    /// For a source that need not bring messages again itself: it keeps order by itself, or there is none.
    private static final long ANY = -1;

    /// About as long as a poll takes that finds something.
    private static final Duration LONGEST_GATHERING = Duration.ofMillis(20);

    private final SlotsLock lock = new SlotsLock();
    private final Slots slots;
    private final List<Runnable> roomCallbacks = new CopyOnWriteArrayList<>();
    private final Classifier classifier;
    private final Reporter reporter;
    private final LongSupplier nanoTime;
    private final Runway runway;

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
        this.runway = new Runway(lock, slots, reporter, nanoTime, pause, this::roomAppeared);
    }

    // Room

    @Override
    public Reservation reserve(int most) {
        return lock.locked(() -> new Room(slots.reserve(most)));
    }

    @Override
    public Reservation awaitRoom(int most) throws InterruptedException {
        var gathering = new Gathering();
        return lock.<Reservation>await(
                () -> {
                    if (slots.closed()) {
                        return new Room(0);
                    }
                    boolean may = slots.pauseNanos(now()) <= 0 && slots.free() > 0;
                    return may && !gathering.goesOn(most) ? new Room(slots.reserve(most)) : null;
                },
                () -> {
                    long paused = slots.pauseNanos(now());
                    return paused > 0 ? paused : gathering.leftNanos();
                });
    }

    /// The moment for which there is room, and soon will be more of it. Under the lock.
    private final class Gathering {
        private boolean begun;
        private boolean waits;
        private long endNanos;

        boolean goesOn(int most) {
            if (!begun) {
                begun = true;
                endNanos = now() + LONGEST_GATHERING.toNanos();
            }
            waits = endNanos - now() > 0 && slots.gathers(most, now());
            return waits;
        }

        long leftNanos() {
            return waits ? Math.max(1, endNanos - now()) : Long.MAX_VALUE;
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
            var answer = new Answer(comebacks());
            for (Message message : messages) {
                if (enter(message, this, ANY, answer) == Entry.IN) {
                    admitted++;
                }
            }
            polled(messages.size(), admitted);
        }

        @Override
        public boolean deliver(Message message, long comebacks) {
            Entry entry = enter(message, this, comebacks, new Answer(comebacks));
            if (entry == Entry.NOT_YET) {
                return false;
            }
            polled(1, entry == Entry.IN ? 1 : 0);
            return true;
        }

        private void polled(int received, int admitted) {
            lock.run(() -> slots.polled(received, admitted, now()));
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
                    lock.change(
                            () -> {
                                int unused = left;
                                slots.giveBack(unused);
                                left = 0;
                                return unused > 0;
                            });
            if (some) {
                roomAppeared();
            }
        }
    }

    // In

    private enum Entry {
        /// It has a slot.
        IN,
        /// It has none, and its source has been told.
        OUT,
        /// Something else has to come before it, perhaps; nobody has been told anything.
        NOT_YET
    }

    private Entry enter(Message message, Room room, long comebacks, Answer answer) {
        Lane lane;
        try {
            lane = slots.requireLane(classifier.laneOf(message));
        } catch (RuntimeException | StackOverflowError e) {
            Throwable cause = JobRun.speakable(e);
            log.error("No lane for {}, it becomes a dead letter", message, cause);
            lock.run(room::use);
            reporter.stray(message);
            var unused =
                    reporter.settle(
                            message, new Settlement.DeadLetter(cause, message.attempt(), true));
            return Entry.OUT;
        }
        Flight flight = new Flight(message, lane, now());
        Admission admission =
                lock.<@Nullable Admission>locked(
                        () -> {
                            if (comebacks != ANY && comebacks != slots.comebacks()) {
                                return null;
                            }
                            room.use();
                            return slots.admit(flight, answer, now());
                        });
        return switch (admission) {
            case null -> Entry.NOT_YET;
            case RUNS -> {
                runway.start(flight);
                yield Entry.IN;
            }
            case WAITS -> Entry.IN; // whoever lands before it starts it
            case FULL -> {
                refuse(flight);
                yield Entry.OUT;
            }
            case BEHIND -> {
                var unused = reporter.settle(message, answer.back(flight));
                yield Entry.OUT;
            }
        };
    }

    @Override
    public Set<OrderKept> ordersKept() {
        return slots.ordersKept();
    }

    @Override
    public long comebacks() {
        return lock.locked(slots::comebacks);
    }

    @Override
    public @Nullable String orderOf(Message message) {
        try {
            LaneSettings lane = slots.requireLane(classifier.laneOf(message)).settings();
            String key = lane.order().keyOf(message);
            return key == null ? null : lane.name() + "/" + key;
        } catch (RuntimeException | StackOverflowError e) {
            return null; // it will be a dead letter
        }
    }

    @Override
    public int room(String lane) {
        return lock.locked(() -> slots.closed() ? 0 : slots.requireLane(lane).free());
    }

    @Override
    public boolean has(Message message) {
        return lock.locked(() -> slots.find(message) != null);
    }

    @Override
    public int attemptAt(Message message) {
        Flight flight = lock.<@Nullable Flight>locked(() -> slots.find(message));
        return flight == null ? message.attempt() : flight.attempt;
    }

    private void refuse(Flight flight) {
        String lane = flight.lane.settings().name();
        Settlement back =
                lock.locked(
                        () ->
                                slots.closed()
                                        ? new Settlement.HandBack(
                                                Duration.ZERO, "the listener stops")
                                        : new Settlement.HandBack(
                                                flight.lane.handBackDelay(now()),
                                                "lane " + lane + " is full",
                                                lane));
        reporter.refused(flight);
        var unused = reporter.settle(flight.message, back);
    }

    // Out

    @Override
    public void lost(Message message, String why) {
        Flight flight = lock.<@Nullable Flight>locked(() -> slots.find(message));
        if (flight != null) {
            var lost = new Settlement.Lost(why);
            lock.run(() -> slots.tooLate(flight, lost));
            runway.cancel(flight, lost, why);
        }
    }

    @Override
    public void overdue(Message message, String why) {
        Flight flight = lock.<@Nullable Flight>locked(() -> slots.find(message));
        Settlement verdict =
                flight == null
                        ? null
                        : lock.<@Nullable Settlement>locked(
                                () -> flight.verdict == null ? JobRun.tooLong(flight, why) : null);
        if (flight != null && verdict != null) {
            runway.cancel(flight, verdict, why);
        }
    }

    @Override
    public void buried(Message message) {
        buried(message, null);
    }

    @Override
    public void unburied(Message message, String why) {
        buried(message, new Settlement.HandBack(Duration.ZERO, why));
    }

    private void buried(Message message, @Nullable Settlement instead) {
        Flight flight = lock.<@Nullable Flight>locked(() -> slots.find(message));
        if (flight != null) {
            runway.buried(flight, instead);
        }
    }

    // From outside

    /// Changes a lane's limit while it runs.
    public void limit(String lane, int limit) {
        lock.run(() -> slots.limit(lane, limit, now()));
        roomAppeared();
    }

    /// Lets another policy decide a lane's limit from now on; a calibration does that for a while.
    ///
    /// @return the one so far
    public Limit limit(String lane, Limit policy) {
        Limit before = lock.change(() -> slots.limit(lane, policy, now()));
        roomAppeared();
        return before;
    }

    /// Lets adaptive limits learn from what has happened, and slots come back that could not.
    public void tick(Pressure pressure) {
        runway.letGoOfThoseLeft();
        boolean moved =
                lock.change(
                        () -> {
                            slots.flights().forEach(runway::meter);
                            return slots.tick(pressure, now());
                        });
        if (moved) {
            roomAppeared();
        }
    }

    public List<LaneState> states() {
        return lock.locked(() -> slots.states(now()));
    }

    /// Room that polls in progress have been promised.
    public int reserved() {
        return lock.locked(slots::reserved);
    }

    /// Takes no more; what has not begun goes back at once.
    public void stop() {
        List<Flight> unbegun =
                lock.change(
                        () -> {
                            slots.close();
                            return slots.flights().stream()
                                    .filter(flight -> flight.state == Flight.State.WAITING)
                                    .toList();
                        });
        for (Flight flight : unbegun) {
            String why = "the listener stops";
            runway.cancel(flight, new Settlement.HandBack(Duration.ZERO, why), why);
        }
        roomAppeared();
    }

    /// @return whether everything has landed in time
    public boolean awaitLanded(Duration patience) throws InterruptedException {
        long end = now() + patience.toNanos();
        return lock.<Boolean>await(
                () -> {
                    boolean landed = slots.flights().isEmpty();
                    return (landed || end - now() <= 0) ? (Boolean) landed : null;
                },
                () -> end - now());
    }

    /// The end of patience: what still runs is interrupted, and its message goes back, so that it is in flight to nobody.
    public void abandon(String why) {
        for (Flight flight : lock.locked(() -> List.copyOf(slots.flights()))) {
            runway.cancel(flight, new Settlement.HandBack(Duration.ZERO, why), why);
        }
    }

    private long now() {
        return nanoTime.getAsLong();
    }
}
