package io.sluice.partition;

import io.sluice.record.PartitionId;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/// The in-sync set that a leader wants, in place of the one of `(leaderEpoch, change)`; or one without this broker, which has lost records and must not be counted. Immutable.
///
/// @param inSync broker → its epoch as the leader knows it, so that an earlier life of a broker is not let in (KIP-903)
public record InSyncProposal(
        PartitionId id,
        UUID topicId,
        int leaderEpoch,
        int change,
        SortedMap<Integer, Long> inSync) {
    public InSyncProposal {
        inSync = Collections.unmodifiableSortedMap(new TreeMap<>(inSync));
    }
}
