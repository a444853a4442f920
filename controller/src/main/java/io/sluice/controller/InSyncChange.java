package io.sluice.controller;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/// A leader asks for another in-sync set of its partition, or any replica for one without itself. Immutable.
///
/// @param leaderEpoch its leader's term
/// @param change the [PartitionPlan#change] that it goes by: the request counts only if nothing has changed since
/// @param inSync the members wanted, each with the broker epoch in which it has caught up, or -1 where the leader does not know (KIP-903)
public record InSyncChange(
        UUID topicId, int partition, int leaderEpoch, int change, SortedMap<Integer, Long> inSync) {
    public InSyncChange {
        inSync = Collections.unmodifiableSortedMap(new TreeMap<>(inSync));
    }
}
