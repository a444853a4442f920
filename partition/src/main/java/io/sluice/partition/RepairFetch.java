package io.sluice.partition;

import io.sluice.record.PartitionId;
import java.util.UUID;

/// What a damaged replica asks of a sound one. Immutable.
///
/// @param broker where the sound one is
/// @param leaderEpoch as known here: a replica that knows another does not answer
/// @param maxBytes more only when the first batch alone is larger
public record RepairFetch(
        int broker, PartitionId id, UUID topicId, int leaderEpoch, long offset, int maxBytes) {}
