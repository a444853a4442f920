package io.sluice.listener.lane;

import io.sluice.listener.message.Settlement.HandBack;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The messages of one answer of a source, on their way in. Where order counts, one that goes back takes along those behind it: the source has delivered them all, so
/// it cannot keep them back, and a slot that gets free in between would let them overtake.
///
/// Owned by the thread that hands them in; asked under the lock of [Lanes].
final class Answer {
    private final long comebacks;
    private final Set<String> in = new HashSet<>();
    private final Map<String, HandBack> back = new HashMap<>();

    /// @param comebacks as of its arrival
    Answer(long comebacks) {
        this.comebacks = comebacks;
    }

    /// Whether this one has to go back unasked.
    boolean isBehind(Flight flight, long comebacksNow) {
        String order = orderOf(flight);
        if (order == null) {
            return false;
        }
        if (comebacksNow != comebacks && in.contains(order)) {
            // Perhaps one before it, which had a slot and is gone.
            back.putIfAbsent(
                    order, new HandBack(Duration.ZERO, "the one before it may have gone back"));
        }
        in.add(order);
        return back.containsKey(order);
    }

    /// Why it has to.
    HandBack back(Flight flight) {
        HandBack back = this.back.get(orderOf(flight));
        if (back == null) {
            throw new IllegalStateException(flight.message + " is behind nobody");
        }
        return back;
    }

    /// Its lane is full, so it goes back.
    void full(Flight flight) {
        String order = orderOf(flight);
        if (order != null) {
            // At once: nothing of their order is delivered while the one before them is away.
            back.put(
                    order,
                    new HandBack(
                            Duration.ZERO,
                            "the one before it found its lane full",
                            flight.lane.settings().name()));
        }
    }

    private static @Nullable String orderOf(Flight flight) {
        return flight.orderKey == null
                ? null
                : flight.lane.settings().name() + "/" + flight.orderKey;
    }
}
