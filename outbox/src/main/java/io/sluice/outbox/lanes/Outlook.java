package io.sluice.outbox.lanes;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// How lanes will be once the round that is under way is done: what stands behind that may be read already, and may be sent if it has come true.
///
/// Any other course of the round is another place in the lanes: something of it was left, a lane was lost and taken again, or led elsewhere.
///
/// Immutable.
public final class Outlook {
    private record Expected(long epoch, LaneCursor cursor) {}

    private final Map<Integer, Expected> expected = new HashMap<>();

    /// @param lanes those that were read for the round
    public static Outlook of(Round round, Collection<Lane> lanes) {
        Outlook outlook = new Outlook();
        for (Lane lane : lanes) {
            outlook.expected.put(lane.number(), new Expected(lane.epoch(), round.whenDone(lane)));
        }
        return outlook;
    }

    private Outlook() {}

    /// Up to this `ord` the lane's difference will have been published.
    public long position(Lane lane) {
        Expected of = expected.get(lane.number());
        return of == null ? lane.cursor().position() : of.cursor().position();
    }

    /// The events of a page that stands there, with their numbers.
    public List<Numbered> numbered(Page page) {
        Map<Integer, Long> last = new HashMap<>();
        expected.forEach((lane, of) -> last.put(lane, of.cursor().sequence()));
        List<Numbered> events = new ArrayList<>(page.events().size());
        for (Event event : page.events()) {
            events.add(new Numbered(event, last.merge(event.lane(), 1L, Long::sum)));
        }
        return events;
    }

    /// Whether these are the same lanes, and exactly there.
    public boolean hasComeTrue(Collection<Lane> now) {
        if (now.size() != expected.size()) {
            return false;
        }
        for (Lane lane : now) {
            Expected of = expected.get(lane.number());
            if (of == null || of.epoch() != lane.epoch() || !of.cursor().equals(lane.cursor())) {
                return false;
            }
        }
        return true;
    }
}
