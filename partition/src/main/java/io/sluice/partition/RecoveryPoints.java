package io.sluice.partition;

import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.record.PartitionId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// How far each partition is known to be durable: read at start, kept while running, written to a file now and then.
///
/// Thread-safe: a concurrent map; each entry is written by its partition's owner only.
public final class RecoveryPoints {
    private final Map<PartitionId, RecoveryPoint> points;

    public RecoveryPoints(Map<PartitionId, RecoveryPoint> known) {
        this.points = new ConcurrentHashMap<>(known);
    }

    public @Nullable RecoveryPoint find(PartitionId id) {
        return points.get(id);
    }

    void note(PartitionId id, RecoveryPoint point) {
        points.put(id, point);
    }

    void forget(PartitionId id) {
        points.remove(id);
    }

    /// A copy at this moment.
    public Map<PartitionId, RecoveryPoint> all() {
        return Map.copyOf(points);
    }
}
