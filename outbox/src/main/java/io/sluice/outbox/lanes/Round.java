package io.sluice.outbox.lanes;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// One page on its way: which events are to be sent with which numbers, which wait behind a parked one, what is done.
///
/// ```
///  event ──▶ to send ──acknowledged──▶ done
///    │          ├──refused──▶ parked ──▶ done       later events of its key: waiting
///    │          └──lane stopped or lost──▶ left     the lane advances to the last event before the first that is left
///    └─behind a parked one──▶ waiting ──(copied beside the parked one)──▶ done
/// ```
/// Numbers are given by place, to waiting events too, so that they do not depend on what happens to others.
///
/// Owned by the publishing thread. Changes the lanes' cursors, never the database.
public final class Round {
    private enum State {
        TO_SEND,
        WAITING,
        DONE,
        LEFT
    }

    private final Page page;
    private final Map<Integer, Lane> lanes;
    private final List<Numbered> events = new ArrayList<>();
    private final Map<Integer, Numbered> lasts = new HashMap<>();
    private final State[] states;

    private Round(Page page, Map<Integer, Lane> lanes) {
        this.page = page;
        this.lanes = lanes;
        this.states = new State[page.events().size()];
    }

    /// Opens the lanes that have events in the page; save them, and what is [#waiting], before anything is sent.
    ///
    /// @param lanes those that were read
    /// @param isBehindParked whether an earlier event of its key is parked
    public static Round of(Page page, Collection<Lane> lanes, Predicate<Event> isBehindParked) {
        Map<Integer, Lane> byNumber = new HashMap<>();
        lanes.forEach(lane -> byNumber.put(lane.number(), lane));
        Round round = new Round(page, byNumber);
        for (Event event : page.events()) {
            Lane lane = byNumber.get(event.lane());
            if (lane == null) {
                throw new IllegalStateException(
                        "event " + event.id() + " is of lane " + event.lane() + ", not read");
            }
            if (page.isOfTable()) {
                lane.open(page.snapshot());
            }
            Numbered last = round.lasts.get(event.lane());
            long before = last == null ? lane.cursor().sequence() : last.sequence();
            Numbered numbered = new Numbered(event, before + 1);
            round.lasts.put(event.lane(), numbered);
            round.states[round.events.size()] =
                    isBehindParked.test(event) ? State.WAITING : State.TO_SEND;
            round.events.add(numbered);
        }
        return round;
    }

    /// Those that were read for it.
    public Collection<Lane> lanes() {
        return Collections.unmodifiableCollection(lanes.values());
    }

    /// In the order in which they must be sent.
    public List<Numbered> toSend() {
        return in(State.TO_SEND);
    }

    /// To be copied beside the parked events of their keys.
    public List<Numbered> waiting() {
        return in(State.WAITING);
    }

    public void acknowledged(Collection<Numbered> sent) {
        Set<Numbered> done = Collections.newSetFromMap(new IdentityHashMap<>());
        done.addAll(sent);
        for (int i = 0; i < states.length; i++) {
            if (states[i] == State.TO_SEND && done.contains(events.get(i))) {
                states[i] = State.DONE;
            }
        }
    }

    /// Later events of its key, which have to be parked with it.
    public List<Numbered> behind(Event refused) {
        List<Numbered> behind = new ArrayList<>();
        for (int i = 0; i < states.length; i++) {
            Event event = events.get(i).event();
            boolean later = event.key().equals(refused.key()) && event.ord() > refused.ord();
            if (states[i] == State.TO_SEND && later) {
                behind.add(events.get(i));
            }
        }
        return behind;
    }

    /// The event has been parked, and what stood behind it with it. What stands before it is still to be sent: in a transaction nothing
    /// of it has been acknowledged.
    public void parked(Event refused) {
        for (int i = 0; i < states.length; i++) {
            Event event = events.get(i).event();
            boolean before = event.ord() < refused.ord();
            if (states[i] == State.TO_SEND && event.key().equals(refused.key()) && !before) {
                states[i] = event.ord() == refused.ord() ? State.DONE : State.WAITING;
            }
        }
    }

    /// What is not done of this lane is left for later, or for its new owner.
    public void leave(int lane) {
        for (int i = 0; i < states.length; i++) {
            if (states[i] != State.DONE && events.get(i).event().lane() == lane) {
                states[i] = State.LEFT;
            }
        }
    }

    /// Its lane has stopped for now: what is not sent yet is left. What waits behind a parked event has been written down already.
    public void stop(int lane) {
        for (int i = 0; i < states.length; i++) {
            if (states[i] == State.TO_SEND && events.get(i).event().lane() == lane) {
                states[i] = State.LEFT;
            }
        }
    }

    /// What was left may be sent now, with the numbers that it has.
    public void resume() {
        for (int i = 0; i < states.length; i++) {
            if (states[i] == State.LEFT) {
                states[i] = State.TO_SEND;
            }
        }
    }

    /// How a lane of it will be if all of the page gets done.
    public LaneCursor whenDone(Lane lane) {
        Numbered last = lasts.get(lane.number());
        LaneCursor now = lane.cursor();
        return last == null
                ? now
                : now.advance(last.event().ord(), last.sequence() - now.sequence());
    }

    /// Whether all that is to be sent is saved as being sent.
    public boolean isBegun() {
        for (Numbered numbered : events) {
            Lane lane = lanes.get(numbered.event().lane());
            if (lane != null && !lane.isBegun()) {
                return false;
            }
        }
        return true;
    }

    /// Whether nothing is left.
    public boolean isDone() {
        for (State state : states) {
            if (state == State.TO_SEND || state == State.LEFT) {
                return false;
            }
        }
        return true;
    }

    /// Moves every lane as far as all before is done, and closes those that have nothing more.
    public void finish() {
        Set<Integer> stuck = new HashSet<>();
        Map<Integer, Integer> counts = new HashMap<>();
        Map<Integer, Long> ends = new HashMap<>();
        for (int i = 0; i < states.length; i++) {
            Numbered numbered = events.get(i);
            int lane = numbered.event().lane();
            if (states[i] == State.LEFT || states[i] == State.TO_SEND) {
                stuck.add(lane);
            }
            if (!stuck.contains(lane)) {
                counts.merge(lane, 1, Integer::sum);
                ends.put(lane, numbered.event().ord());
            }
        }
        lanes.forEach((number, lane) -> move(lane, counts.get(number), ends.get(number), stuck));
    }

    private void move(Lane lane, @Nullable Integer count, @Nullable Long end, Set<Integer> stuck) {
        if (!page.isOfTable()) {
            lane.reserve(count == null ? 0 : count);
            return;
        }
        if (count != null && end != null) {
            lane.advance(end, count);
        }
        if (page.complete() && !stuck.contains(lane.number())) {
            lane.close(page.snapshot());
        }
    }

    private List<Numbered> in(State state) {
        List<Numbered> found = new ArrayList<>();
        for (int i = 0; i < states.length; i++) {
            if (states[i] == state) {
                found.add(events.get(i));
            }
        }
        return found;
    }
}
