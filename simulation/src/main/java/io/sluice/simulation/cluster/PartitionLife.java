package io.sluice.simulation.cluster;

import io.sluice.record.PartitionId;
import java.util.UUID;

/// A partition of one topic, from the topic's creation to its deletion: another topic of the same name has others, and nothing of this one. Immutable.
///
/// @param topic the topic's id
public record PartitionLife(UUID topic, PartitionId id) {
    private static final int ENOUGH = 8;

    @Override
    public String toString() {
        return id + " of " + topic.toString().substring(0, ENOUGH);
    }
}
