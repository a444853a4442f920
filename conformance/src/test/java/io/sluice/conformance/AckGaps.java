package io.sluice.conformance;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/// How long producers went without an acknowledgement. Thread-safe: all under its lock.
final class AckGaps {
    private final Map<TopicPartition, Long> lastOfEach = new HashMap<>();
    private long lastOfAny;
    private long longestOfOne;
    private long longestOfAll;

    AckGaps() {
        lastOfAny = System.nanoTime();
    }

    /// Forgets how long it took before; what is open now counts from its last acknowledgement.
    synchronized void begin() {
        longestOfOne = 0;
        longestOfAll = 0;
    }

    synchronized void acknowledged(TopicPartition partition) {
        long now = System.nanoTime();
        Long before = lastOfEach.put(partition, now);
        longestOfOne = Math.max(longestOfOne, before == null ? 0 : now - before);
        longestOfAll = Math.max(longestOfAll, now - lastOfAny);
        lastOfAny = now;
    }

    synchronized Duration longestOfOnePartition() {
        return Duration.ofNanos(longestOfOne);
    }

    synchronized Duration longestOfAll() {
        return Duration.ofNanos(longestOfAll);
    }
}
