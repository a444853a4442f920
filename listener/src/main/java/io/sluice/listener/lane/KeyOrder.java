package io.sluice.listener.lane;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Who waits behind whom: for each key the one that runs and those behind it, in the order of their arrival.
///
/// Owned by its lane.
final class KeyOrder {
    /// The queue's head is the one that runs.
    private final Map<String, ArrayDeque<Flight>> queues = new HashMap<>();

    private int waiting;

    /// @return whether it may run now; otherwise it waits
    boolean enter(Flight flight) {
        if (flight.orderKey == null) {
            return true;
        }
        ArrayDeque<Flight> queue =
                queues.computeIfAbsent(flight.orderKey, key -> new ArrayDeque<>());
        queue.addLast(flight);
        if (queue.size() > 1) {
            waiting++;
            return false;
        }
        return true;
    }

    /// It has landed, or leaves the queue without having run.
    ///
    /// @return the next one that may run
    @Nullable Flight leave(Flight flight) {
        if (flight.orderKey == null) {
            return null;
        }
        ArrayDeque<Flight> queue = queues.get(flight.orderKey);
        if (queue == null) {
            throw new IllegalStateException(
                    flight.message + " left an order that it never entered");
        }
        boolean ran = flight.equals(queue.peekFirst());
        if (!queue.remove(flight)) {
            throw new IllegalStateException(flight.message + " left its order twice");
        }
        if (queue.isEmpty()) {
            queues.remove(flight.orderKey);
            return null;
        }
        // Whoever leaves, one of the waiting is gone: the leaver itself, or its successor, which
        // runs now.
        waiting--;
        return ran ? queue.peekFirst() : null;
    }

    /// Those behind this one, whether it runs or waits itself.
    List<Flight> behind(Flight flight) {
        ArrayDeque<Flight> queue = flight.orderKey == null ? null : queues.get(flight.orderKey);
        if (queue == null) {
            return List.of();
        }
        List<Flight> all = new ArrayList<>(queue);
        return List.copyOf(all.subList(all.indexOf(flight) + 1, all.size()));
    }

    int waiting() {
        return waiting;
    }
}
