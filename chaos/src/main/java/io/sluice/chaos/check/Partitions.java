package io.sluice.chaos.check;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import java.util.SortedSet;
import java.util.TreeSet;

/// The partitions that a history speaks of.
final class Partitions {
    private Partitions() {}

    static SortedSet<Integer> of(History history) {
        SortedSet<Integer> partitions = new TreeSet<>();
        history.forEach(
                event -> {
                    if (event instanceof Event.Invoked invoked) {
                        partitions.add(invoked.value().partition());
                    } else if (event instanceof Event.Polled polled) {
                        partitions.add(polled.partition());
                    }
                });
        return partitions;
    }
}
