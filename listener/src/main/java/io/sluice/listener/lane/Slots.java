package io.sluice.listener.lane;

import io.sluice.listener.failure.FailurePolicy.WhenOrdered;
import io.sluice.listener.lane.Lane.Admission;
import io.sluice.listener.limit.Limit;
import io.sluice.listener.limit.Pressure;
import io.sluice.listener.message.Intake.OrderKept;
import io.sluice.listener.message.Message;
import io.sluice.listener.message.Settlement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// All slots of a listener: those of each lane, those promised to polls, and who has which.
///
/// Owned by [Lanes], called under its lock. A plain machine: time comes in with the call, and what is to be done goes out as a value.
final class Slots {
    private final Map<String, Lane> lanes = new LinkedHashMap<>();
    private final Map<Message, Flight> flights = new HashMap<>();
    private final MisfitPace pace = new MisfitPace();
    private int reserved;
    private long comebacks;
    private boolean closed;

    Slots(List<LaneSettings> settings) {
        for (LaneSettings lane : settings) {
            if (lanes.put(lane.name(), new Lane(lane)) != null) {
                throw new IllegalArgumentException(
                        "There are two lanes named " + lane.name() + ".");
            }
        }
        if (lanes.isEmpty()) {
            throw new IllegalArgumentException("A listener needs at least one lane.");
        }
    }

    Lane requireLane(String name) {
        Lane lane = lanes.get(name);
        if (lane == null) {
            throw new IllegalArgumentException(
                    "There is no lane named " + name + ", only " + lanes.keySet() + ".");
        }
        return lane;
    }

    Set<OrderKept> ordersKept() {
        Set<OrderKept> orders = EnumSet.noneOf(OrderKept.class);
        lanes.values().forEach(lane -> orders.add(lane.settings().orderKept()));
        return orders;
    }

    /// Promises free slots to a poll.
    int reserve(int most) {
        int size = closed ? 0 : Math.min(most, free());
        reserved += size;
        return size;
    }

    void giveBack(int promised) {
        reserved -= promised;
    }

    int reserved() {
        return reserved;
    }

    /// Slots that neither a message nor a poll has.
    int free() {
        int free = -reserved;
        for (Lane lane : lanes.values()) {
            free += lane.free();
        }
        return Math.max(0, free);
    }

    /// Whether a poll had better wait for a moment: asking for the few slots that are free of a lane whose jobs are brief would cost a request for a few messages, and asking
    /// for those of other lanes would bring its messages, which would have to go back.
    boolean gathers(int most, long nowNanos) {
        int all = lanes.values().stream().mapToInt(Lane::limit).sum();
        int asked = Math.min(most, all);
        return lanes.values().stream()
                .anyMatch(lane -> lane.soonHasRoomFor(asked, reserved, nowNanos));
    }

    void polled(int received, int admitted, long nowNanos) {
        pace.polled(received, admitted, nowNanos);
    }

    /// How long the next poll has to wait although there is room.
    long pauseNanos(long nowNanos) {
        return pace.pauseNanos(nowNanos);
    }

    boolean closed() {
        return closed;
    }

    void close() {
        closed = true;
    }

    /// @param answer what it came with
    Admission admit(Flight flight, Answer answer, long nowNanos) {
        lanes.values().forEach(lane -> lane.came(lane.equals(flight.lane)));
        Admission admission = admission(flight, answer, nowNanos);
        if (admission == Admission.FULL || admission == Admission.BEHIND) {
            flight.lane.tally().handedBack++;
            return admission;
        }
        note(flight, nowNanos);
        if (admission == Admission.RUNS) {
            run(flight, nowNanos);
        }
        return admission;
    }

    private Admission admission(Flight flight, Answer answer, long nowNanos) {
        if (closed) {
            return Admission.FULL;
        }
        if (answer.isBehind(flight, comebacks)) {
            return Admission.BEHIND;
        }
        Admission admission = flight.lane.admit(flight, nowNanos);
        if (admission == Admission.FULL) {
            answer.full(flight);
        }
        return admission;
    }

    /// A slot that nobody can find would never come back.
    private void note(Flight flight, long nowNanos) {
        try {
            flights.put(flight.message, flight);
        } catch (RuntimeException | Error e) {
            flight.lane.land(flight, nowNanos);
            throw e;
        }
    }

    private static void run(Flight flight, long nowNanos) {
        flight.state = Flight.State.RUNNING;
        flight.startedNanos = nowNanos;
    }

    @Nullable Flight find(Message message) {
        return flights.get(message);
    }

    /// Everything that has a slot.
    Collection<Flight> flights() {
        return flights.values();
    }

    /// How a flight ended, by the first who says so.
    ///
    /// @return whether this is the verdict
    boolean decide(Flight flight, Settlement verdict) {
        if (flight.verdict != null) {
            return false;
        }
        flight.verdict = verdict;
        LaneTally tally = flight.lane.tally();
        switch (verdict) {
            case Settlement.Done done -> {} // counted when its source has heard it
            case Settlement.Retry retry -> tally.retried++;
            case Settlement.DeadLetter letter -> flight.burying = true;
            case Settlement.HandBack back -> tally.handedBack++;
            case Settlement.Lost lost -> tally.lost++;
        }
        return true;
    }

    /// The source knows what has become of a dead letter. Nothing, when it is none, or has been heard of before.
    ///
    /// @param instead what its message ended with if it could not be stored
    void buried(Flight flight, @Nullable Settlement instead) {
        if (!flight.burying) {
            return;
        }
        flight.burying = false;
        if (instead == null) {
            flight.lane.tally().deadLettered++;
        } else {
            flight.verdict = instead;
            flight.lane.tally().handedBack++;
        }
    }

    /// The source has heard the verdict: it is what happened.
    void told(Flight flight) {
        flight.told = true;
        if (flight.verdict instanceof Settlement.Done) {
            flight.lane.tally().done++;
            flight.lane.tally().work += flight.size;
        }
    }

    /// The source finds that a message whose job is done had been somebody else's before. Nothing, when the verdict is another one, or has been heard.
    void tooLate(Flight flight, Settlement.Lost verdict) {
        if (flight.verdict instanceof Settlement.Done && !flight.told) {
            flight.verdict = verdict;
            flight.lane.tally().lost++;
        }
    }

    /// What became of a flight that is to be let go.
    ///
    /// @param landed whether its slot is free; otherwise there are some to be told first
    /// @param behind those that go back with it
    /// @param next whose turn it is
    record Departure(boolean landed, List<Flight> behind, @Nullable Flight next) {}

    /// Lets a flight go, unless somebody is behind it that has to go back first. In one step: who came in between the last look and the landing would have its turn before the one
    /// that went back.
    ///
    /// @param verdict for those behind it
    Departure depart(Flight flight, Settlement verdict, long nowNanos) {
        List<Flight> behind = undecidedBehind(flight);
        if (behind.isEmpty()) {
            return new Departure(true, behind, land(flight, nowNanos));
        }
        // Before somebody has a verdict: for want of memory nobody would tell it.
        var departure = new Departure(false, behind, null);
        for (Flight follower : behind) {
            follower.back = decide(follower, verdict);
        }
        return departure;
    }

    /// Those that wait behind a flight and must not overtake it. Nobody, when they need not follow it, or somebody has found their verdict.
    private List<Flight> undecidedBehind(Flight flight) {
        if (!comesAgain(flight) || flight.orderKey == null) {
            return List.of();
        }
        List<Flight> undecided = new ArrayList<>();
        for (Flight follower : flight.lane.behind(flight)) {
            if (follower.verdict == null) {
                undecided.add(follower);
            }
        }
        return undecided;
    }

    /// One that has ended and was not let go, since there was no memory for it. Whoever gets it here lets it go.
    @Nullable Flight takeLeave() {
        for (Flight flight : flights.values()) {
            if (flight.takeLeave()) {
                return flight;
            }
        }
        return null;
    }

    /// Its slot is free, and so is its key.
    ///
    /// @return whose turn it is; not one that goes back itself
    private @Nullable Flight land(Flight flight, long nowNanos) {
        if (flight.orderKey != null && comesAgain(flight)) {
            comebacks++;
        }
        flights.remove(flight.message);
        Flight next = flight.lane.land(flight, nowNanos);
        if (next == null || next.verdict != null) {
            return null;
        }
        run(next, nowNanos);
        return next;
    }

    /// How many flights with an order have gone back, so that those of their order must not be let in before them.
    long comebacks() {
        return comebacks;
    }

    /// What waits behind a message that comes again must come again after it.
    private static boolean comesAgain(Flight flight) {
        return switch (flight.verdict) {
            case Settlement.Done done -> false;
            case Settlement.DeadLetter letter -> false;
            case Settlement.Retry retry ->
                    flight.lane.settings().failures().whenOrdered() == WhenOrdered.WAIT;
            case Settlement.HandBack back -> true;
            case Settlement.Lost lost -> true;
            case null ->
                    throw new IllegalStateException(flight.message + " ended without a verdict");
        };
    }

    void limit(String lane, int limit, long nowNanos) {
        Lane changing = requireLane(lane);
        changing.policy().set(limit);
        changing.policy(changing.policy(), nowNanos);
    }

    /// @return the policy so far
    Limit limit(String lane, Limit policy, long nowNanos) {
        Lane changing = requireLane(lane);
        changing.settings().requireThreadsFor(policy);
        Limit before = changing.policy();
        changing.policy(policy, nowNanos);
        return before;
    }

    /// @return whether a limit has moved
    boolean tick(Pressure pressure, long nowNanos) {
        if (pressure.ofMemory()) {
            return guard(pressure, nowNanos);
        }
        boolean moved = false;
        for (Lane lane : lanes.values()) {
            moved |= lane.tick(pressure, nowNanos);
        }
        return moved;
    }

    /// Only the lane that takes the memory goes down. The others stay as they are: it is not their fault, and they must not grow into it either. Calibrations
    /// end, since they would measure the trouble.
    private boolean guard(Pressure pressure, long nowNanos) {
        Lane heaviest = heaviest(nowNanos);
        boolean moved = false;
        for (Lane lane : lanes.values()) {
            if (lane.calibrates() || (lane.equals(heaviest) && lane.limit() > 1)) {
                moved |= lane.retreat(pressure, nowNanos);
            }
        }
        return moved;
    }

    /// Of those that can shrink, the one whose jobs have allocated most, or where a thread does not tell, have been running longest. One that is down to 1 counts as long
    /// as it has more jobs than that: before they have ended nobody else is to blame.
    private @Nullable Lane heaviest(long nowNanos) {
        List<Lane> shrinking = lanes.values().stream().filter(Lane::canShrink).toList();
        boolean known =
                shrinking.stream()
                        .noneMatch(lane -> lane.allocatedBytes() == AllocationMeter.UNKNOWN);
        return shrinking.stream()
                .max(
                        Comparator.comparingLong((Lane lane) -> known ? lane.allocatedBytes() : 0)
                                .thenComparingLong(lane -> lane.runningNanos(nowNanos))
                                .thenComparingInt(Lane::limit))
                .orElse(null);
    }

    List<LaneState> states(long nowNanos) {
        return lanes.values().stream().map(lane -> LaneState.of(lane, closed, nowNanos)).toList();
    }
}
