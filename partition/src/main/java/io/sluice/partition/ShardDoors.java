package io.sluice.partition;

import io.sluice.env.Clock;
import io.sluice.env.Disk;
import io.sluice.env.Workers;

/// What a shard's partitions need of the world. Immutable.
///
/// @param disk rooted at the folder that holds one folder for each partition
public record ShardDoors(
        Disk disk,
        Clock clock,
        Workers workers,
        RecoveryPoints recoveryPoints,
        ShardCounters counters,
        ReplicationDoors replication) {}
