package io.sluice.listener.lane;

import io.sluice.listener.limit.Limit;
import io.sluice.listener.limit.Limit.Progress;
import io.sluice.listener.limit.Pressure;
import io.sluice.listener.limit.Window;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One lane's slots: how many there are, who has them, who is next. A permit is an entry of [#flights], so there is nothing that could be
/// counted wrong: it is taken in [#admit] and given back in [#land], and nowhere else.
///
/// Owned by [Lanes], called under its lock. No time of its own: it comes in with the call.
final class Lane {
    /// Before the first job has ended nobody knows how long one takes.
    private static final Duration FIRST_GUESS = Duration.ofSeconds(2);

    private static final Duration SHORTEST_HAND_BACK = Duration.ofSeconds(1);
    private static final Duration LONGEST_HAND_BACK = Duration.ofMinutes(2);
    private static final double NEWEST_JOB_WEIGHT = 0.2;
    private static final double NEWEST_MESSAGE_WEIGHT = 1.0 / 16;

    /// Sooner than a poll is back.
    private static final Duration BRIEF = Duration.ofMillis(5);

    /// A job that has been running for so long is none of the brief ones.
    private static final Duration NOT_BRIEF = Duration.ofMillis(20);

    /// Whether a message got a slot.
    enum Admission {
        /// It has one and may run.
        RUNS,
        /// It has one and waits behind its key.
        WAITS,
        /// There is none for it.
        FULL,
        /// One of its order that came with it went back.
        BEHIND
    }

    private final LaneSettings settings;
    private final Set<Flight> flights = new LinkedHashSet<>();
    private final KeyOrder order = new KeyOrder();
    private final LaneTally tally = new LaneTally();
    private final LaneMeter meter = new LaneMeter();
    private Limit policy;
    private int limit;
    private double meanJobNanos = FIRST_GUESS.toNanos();
    private double share;

    /// When the last message that was handed back has been told to come again.
    private long lastAppointmentNanos = Long.MIN_VALUE;

    Lane(LaneSettings settings) {
        this.settings = settings;
        this.policy = settings.limit();
        this.limit = policy.current();
    }

    LaneSettings settings() {
        return settings;
    }

    LaneTally tally() {
        return tally;
    }

    int limit() {
        return limit;
    }

    /// Takes effect at once for new messages; those in flight stay, even above a lowered limit.
    void limit(int newLimit) {
        if (newLimit < 1) {
            throw new IllegalArgumentException(
                    "Lane " + settings.name() + " needs a limit of at least 1, not " + newLimit);
        }
        limit = newLimit;
    }

    /// What decides the limit: the lane's own, or a calibration for a while.
    Limit policy() {
        return policy;
    }

    void policy(Limit newPolicy, long nowNanos) {
        policy = newPolicy;
        limit(policy.current());
        meter.restart(nowNanos, settling());
    }

    /// Lets the limit learn, if it is time, and follows it.
    ///
    /// @return whether the limit has changed
    boolean tick(Pressure pressure, long nowNanos) {
        return policy.adaptive()
                && meter.measures(tally, nowNanos)
                && learn(meter.window(this, pressure, nowNanos), nowNanos);
    }

    /// Goes down now, whatever is being measured or waited for.
    ///
    /// @return whether the limit has changed
    boolean retreat(Pressure pressure, long nowNanos) {
        meter.begin(tally, nowNanos);
        return learn(meter.window(this, pressure, nowNanos), nowNanos);
    }

    private boolean learn(Window window, long nowNanos) {
        if (!policy.enough(window)) {
            return false;
        }
        policy.on(window);
        boolean moves = policy.current() != limit;
        if (moves) {
            limit(policy.current());
        }
        meter.restart(nowNanos, moves ? settling() : Duration.ZERO);
        return moves;
    }

    /// Whether a calibration has taken its own policy's place.
    boolean calibrates() {
        return !policy.equals(settings.limit());
    }

    /// Whether it can take fewer jobs, or fewer than those that are still running.
    boolean canShrink() {
        return policy.adaptive() && (limit > 1 || flights.size() > limit);
    }

    /// What its jobs in flight have allocated, as far as they are on threads that tell.
    long allocatedBytes() {
        long bytes = 0;
        for (Flight flight : flights) {
            if (flight.allocatedBytes == AllocationMeter.UNKNOWN) {
                return AllocationMeter.UNKNOWN;
            }
            bytes += flight.allocatedBytes;
        }
        return bytes;
    }

    /// For how long its jobs in flight have been running, all together.
    long runningNanos(long nowNanos) {
        long nanos = 0;
        for (Flight flight : flights) {
            nanos += flight.state == Flight.State.RUNNING ? nowNanos - flight.startedNanos : 0;
        }
        return nanos;
    }

    /// CPU time answers at once to a new limit; finished jobs only when those of the old one have ended.
    private Duration settling() {
        return policy.progress() == Progress.CPU ? Duration.ofSeconds(1) : meanJobTime();
    }

    /// Slots that nobody has.
    int free() {
        return Math.max(0, limit - flights.size());
    }

    int inFlight() {
        return flights.size();
    }

    int waiting() {
        return order.waiting();
    }

    Set<Flight> flights() {
        return flights;
    }

    /// A message asks for a slot.
    Admission admit(Flight flight, long nowNanos) {
        if (free() == 0) {
            tally.refused++;
            return Admission.FULL;
        }
        meter.changes(flights.size(), nowNanos);
        flights.add(flight);
        tally.admitted++;
        return order.enter(flight) ? Admission.RUNS : Admission.WAITS;
    }

    /// The one place where a slot comes back, whatever happened to its message.
    ///
    /// @return whose turn it is now, if somebody waited for this one
    @Nullable Flight land(Flight flight, long nowNanos) {
        meter.changes(flights.size(), nowNanos);
        if (!flights.remove(flight)) {
            throw new IllegalStateException(flight.message + " gave its slot back twice");
        }
        if (flight.state == Flight.State.RUNNING) {
            long nanos = flight.endedNanos - flight.startedNanos;
            meanJobNanos += NEWEST_JOB_WEIGHT * (nanos - meanJobNanos);
            tally.jobNanos += nanos;
        }
        flight.state = Flight.State.LANDED;
        return order.leave(flight);
    }

    /// Those that must not run before this one has.
    Iterable<Flight> behind(Flight flight) {
        return order.behind(flight);
    }

    /// A message has come, for this lane or another one.
    void came(boolean here) {
        share += NEWEST_MESSAGE_WEIGHT * ((here ? 1 : 0) - share);
    }

    /// Whether in a moment there is room in this lane for what a poll for so many would bring, and now there is not: its jobs are brief, and of the messages on their way
    /// as many will be its own as of those that came last. Not when even all of its slots would not be enough: then waiting does not help.
    ///
    /// @param onTheWay that have been asked for already
    boolean soonHasRoomFor(int asked, int onTheWay, long nowNanos) {
        double its = share * asked;
        boolean later = free() < share * onTheWay + its && its <= limit;
        return later && meanJobNanos < BRIEF.toNanos() && !hasLongJob(nowNanos);
    }

    private boolean hasLongJob(long nowNanos) {
        return flights.stream()
                .anyMatch(
                        flight ->
                                flight.state == Flight.State.RUNNING
                                        && nowNanos - flight.startedNanos > NOT_BRIEF.toNanos());
    }

    /// When it makes sense to come again: about when a slot is free for it, behind those that were told so before. At the same short time for all, the same
    /// crowd would go round and round, with the light messages of other lanes behind it.
    Duration handBackDelay(long nowNanos) {
        long every = (long) (meanJobNanos / limit);
        boolean first =
                lastAppointmentNanos == Long.MIN_VALUE || lastAppointmentNanos - nowNanos < 0;
        long delay = (first ? 0 : lastAppointmentNanos - nowNanos) + every;
        long bounded =
                Math.max(
                        SHORTEST_HAND_BACK.toNanos(), Math.min(LONGEST_HAND_BACK.toNanos(), delay));
        lastAppointmentNanos = nowNanos + Math.min(LONGEST_HAND_BACK.toNanos(), delay);
        return Duration.ofNanos(bounded);
    }

    Duration meanJobTime() {
        return Duration.ofNanos((long) meanJobNanos);
    }
}
