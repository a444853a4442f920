package io.sluice.simulation.cluster;

import java.util.SortedMap;
import java.util.TreeMap;

/// A topic that a run uses. Immutable.
///
/// @param pageCache acknowledged when it is in the page cache of all in-sync replicas, not on their disks
/// @param segmentMillis after which a segment is closed
/// @param lagMessages a replica that is farther behind leaves the in-sync set; [#ANY_LAG] where only time counts
public record TopicShape(
        String name,
        int partitions,
        int replicas,
        int minInSync,
        boolean pageCache,
        long segmentMillis,
        int lagMessages) {
    static final int ANY_LAG = -1;

    SortedMap<String, String> settings() {
        SortedMap<String, String> settings = new TreeMap<>();
        settings.put("min.insync.replicas", Integer.toString(minInSync));
        settings.put("flush", pageCache ? "page-cache" : "fsync");
        settings.put("segment.ms", Long.toString(segmentMillis));
        settings.put("replica.lag.max.messages", Integer.toString(lagMessages));
        return settings;
    }
}
