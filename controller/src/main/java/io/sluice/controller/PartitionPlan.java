package io.sluice.controller;

import java.util.List;

/// Where a partition's replicas are, and which broker leads. Immutable.
public record PartitionPlan(List<Integer> replicas, int leader) {
    public PartitionPlan {
        replicas = List.copyOf(replicas);
    }
}
