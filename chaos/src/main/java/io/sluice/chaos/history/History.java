package io.sluice.chaos.history;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    /// All of it as a text, an event a line, for whoever asks why something was broken.
    public synchronized void write(Path file) {
        try (BufferedWriter lines = Files.newBufferedWriter(file)) {
            for (Event event : events) {
                lines.write(event.toString());
                lines.newLine();
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("The history cannot be kept in " + file, failure);
        }
    }

    public synchronized int size() {
        return events.size();
    }
}
