package io.sluice.controller;

import io.sluice.record.PartitionId;
import java.util.List;

/// A change of a partition's replicas that is not done yet. Immutable.
///
/// @param replicas as they are now
/// @param adding of the wanted ones, those that have to catch up
/// @param removing those that leave when the others have caught up
/// @param waiting true: not begun yet, because only so many move at a time
public record Move(
        PartitionId partition,
        List<Integer> replicas,
        List<Integer> adding,
        List<Integer> removing,
        boolean waiting) {
    public Move {
        replicas = List.copyOf(replicas);
        adding = List.copyOf(adding);
        removing = List.copyOf(removing);
    }
}
