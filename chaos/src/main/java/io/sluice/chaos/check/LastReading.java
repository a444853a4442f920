package io.sluice.chaos.check;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import io.sluice.chaos.history.Value;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// What the last reader found: the truth that everything else is held against.
///
/// Immutable after it is made.
final class LastReading {
    private final Map<Integer, TreeMap<Long, Value>> found = new HashMap<>();
    private final Map<Integer, Long> ends = new HashMap<>();

    LastReading(History history) {
        history.forEach(
                event -> {
                    if (event instanceof Event.Polled polled
                            && polled.reader().equals(History.LAST_READER)) {
                        found.computeIfAbsent(polled.partition(), _ -> new TreeMap<>())
                                .put(polled.offset(), polled.value());
                    } else if (event instanceof Event.Drained drained) {
                        ends.put(drained.partition(), drained.end());
                    }
                });
    }

    /// The messages of a partition by offset.
    SortedMap<Long, Value> of(int partition) {
        return found.getOrDefault(partition, new TreeMap<>());
    }

    /// The offset behind the last one that was there to be read; 0 when the last reader never came to an end.
    long end(int partition) {
        return ends.getOrDefault(partition, 0L);
    }

    /// Whether the partition was read to its end, so that what is missing is missing for good.
    boolean complete(int partition) {
        return ends.containsKey(partition);
    }
}
