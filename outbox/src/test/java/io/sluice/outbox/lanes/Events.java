package io.sluice.outbox.lanes;

import java.util.Map;

/// Events and lanes for tests of decisions.
public final class Events {
    private Events() {}

    public static Event event(long ord, int lane, String key) {
        return new Event(
                ord, lane, "id-" + ord, key, Map.of(), Event.Payload.of("x"), Event.UNKNOWN_AGE);
    }

    static Lane lane(int number, long sequence) {
        return new Lane(number, 1, new LaneCursor("10:10:", null, 0, sequence));
    }
}
