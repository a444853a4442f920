package io.sluice.controller;

import io.sluice.record.PartitionId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Asks for a partition's replicas to be on these brokers, the preferred leader first. Immutable.
///
/// @param replicas null to take a move back that is waiting or under way
public record MoveRequest(PartitionId partition, @Nullable List<Integer> replicas) {
    public MoveRequest {
        replicas = replicas == null ? null : List.copyOf(replicas);
    }
}
