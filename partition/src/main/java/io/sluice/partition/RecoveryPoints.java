package io.sluice.partition;

import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.record.PartitionId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// How far each partition is known to be durable and readable: read at start, kept while running, written to a file now and then.
///
/// Thread-safe: a concurrent map; each entry is written by its partition's owner only.
public final class RecoveryPoints {
    private final Map<String, RecoveryPoint> points;

    /// Set by owners, read by whoever writes the file; a race costs one superfluous write.
    private volatile boolean changed;

    public RecoveryPoints(Map<String, RecoveryPoint> known) {
        this.points = new ConcurrentHashMap<>(known);
    }

    public @Nullable RecoveryPoint find(PartitionId id) {
        return points.get(id.toString());
    }

    void note(PartitionId id, RecoveryPoint point) {
        if (!point.equals(points.put(id.toString(), point))) {
            changed = true;
        }
    }

    public void forget(PartitionId id) {
        points.remove(id.toString());
        changed = true;
    }

    /// True when something was noted since the last call.
    public boolean takeChanged() {
        boolean was = changed;
        changed = false;
        return was;
    }

    /// What was noted has yet to be written.
    public void markChanged() {
        changed = true;
    }

    /// By the partition's folder; a copy at this moment.
    public Map<String, RecoveryPoint> all() {
        return Map.copyOf(points);
    }
}
