package io.sluice.outbox.parking;

import io.sluice.outbox.lanes.Event;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Notes which parts a parked event does not have: the table of parked events has a key and a payload for all. The note stands among its headers, and is never sent.
public final class AbsentParts {
    private static final String NOTE = "outbox-absent";
    private static final String KEY = "key";
    private static final String PAYLOAD = "payload";

    private AbsentParts() {}

    /// The event's headers, with the note if there is something to note.
    static Map<String, String> noted(Event event) {
        List<String> absent = new ArrayList<>();
        if (event.isKeyless()) {
            absent.add(KEY);
        }
        if (event.payload().isAbsent()) {
            absent.add(PAYLOAD);
        }
        if (absent.isEmpty()) {
            return event.headers();
        }
        Map<String, String> noted = new LinkedHashMap<>(event.headers());
        noted.put(NOTE, String.join(",", absent));
        return noted;
    }

    public static boolean isKeyless(Map<String, String> noted) {
        return isNoted(noted, KEY);
    }

    public static boolean isWithoutPayload(Map<String, String> noted) {
        return isNoted(noted, PAYLOAD);
    }

    private static boolean isNoted(Map<String, String> noted, String part) {
        return List.of(noted.getOrDefault(NOTE, "").split(",")).contains(part);
    }

    /// The event's own headers.
    public static Map<String, String> headers(Map<String, String> noted) {
        if (!noted.containsKey(NOTE)) {
            return noted;
        }
        Map<String, String> headers = new LinkedHashMap<>(noted);
        headers.remove(NOTE);
        return headers;
    }
}
