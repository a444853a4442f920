package io.sluice.chaos.history;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// Everything that the clients of one round did and saw.
///
/// Thread-safe: every client's thread adds to it, under its lock. Events of one thread stay in their order.
public final class History {
    /// The reader that reads everything once more in the end.
    public static final String LAST_READER = "drain";

    /// What the names of a consumer group's members begin with.
    public static final String GROUP = "group";

    private final List<Event> events = new ArrayList<>();

    public synchronized void add(Event event) {
        events.add(event);
    }

    /// The events up to now.
    public synchronized List<Event> events() {
        return List.copyOf(events);
    }

    public <E extends Event> Stream<E> of(Class<E> kind) {
        return events().stream().filter(kind::isInstance).map(kind::cast);
    }

    /// Shows every event under the lock, without copying them first: for looks while the load goes on.
    public synchronized void forEach(Consumer<Event> look) {
        events.forEach(look);
    }

    public synchronized int size() {
        return events.size();
    }
}
