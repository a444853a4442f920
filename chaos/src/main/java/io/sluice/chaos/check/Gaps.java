package io.sluice.chaos.check;

import io.sluice.chaos.history.Event;
import io.sluice.chaos.history.History;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/// How long partitions took no message: the longest time between two acknowledgements that followed each other, partition by partition.
///
/// A time that began before the window or ended behind it counts whole, as a producer would feel it; one that has not ended counts up to the window's end.
///
/// Immutable after it is made.
public final class Gaps {
    private final TreeMap<Integer, Duration> longest = new TreeMap<>();

    public Gaps(History history, long fromNanos, long toNanos) {
        Map<Integer, Long> latest = new TreeMap<>();
        history.forEach(
                event -> {
                    if (event instanceof Event.Acknowledged acknowledged) {
                        int partition = acknowledged.value().partition();
                        Long before = latest.put(partition, acknowledged.atNanos());
                        if (before != null
                                && acknowledged.atNanos() > fromNanos
                                && before < toNanos) {
                            note(partition, acknowledged.atNanos() - before);
                        }
                    }
                });
        latest.forEach(
                (partition, last) -> {
                    if (last < toNanos) {
                        note(partition, toNanos - last);
                    }
                });
    }

    private void note(int partition, long nanos) {
        longest.merge(
                partition,
                Duration.ofNanos(nanos),
                (one, other) -> one.compareTo(other) >= 0 ? one : other);
    }

    /// The longest gap of one partition in the window.
    public Duration of(int partition) {
        return longest.getOrDefault(partition, Duration.ZERO);
    }

    /// The longest gap of these partitions.
    public Duration worst(Iterable<Integer> partitions) {
        Duration worst = Duration.ZERO;
        for (int partition : partitions) {
            Duration gap = of(partition);
            worst = gap.compareTo(worst) > 0 ? gap : worst;
        }
        return worst;
    }
}
