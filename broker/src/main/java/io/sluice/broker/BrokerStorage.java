package io.sluice.broker;

import io.sluice.env.Mailbox;
import io.sluice.env.os.DataDirectory;
import io.sluice.env.os.OsClock;
import io.sluice.env.os.OsDisk;
import io.sluice.partition.PartitionDirectory;
import io.sluice.partition.RecoveryPoints;
import io.sluice.partition.ReplicationDoors;
import io.sluice.partition.Shard;
import io.sluice.partition.ShardCounters;
import io.sluice.partition.ShardDoors;
import java.util.ArrayList;
import java.util.List;

/// Where records are kept: the disk, and the partitions on it, closed until somebody uses them. Immutable.
record BrokerStorage(
        OsDisk disk,
        PartitionDirectory partitions,
        PartitionKeeper keeper,
        ShardCounters counters) {
    static BrokerStorage open(
            Lifecycle parts,
            DataDirectory data,
            BrokerThreads threads,
            OsClock clock,
            BrokerConfig config) {
        OsDisk disk = new OsDisk(data.path().resolve(DataDirectory.LOG));
        RecoveryPoints recoveryPoints = PartitionKeeper.read(disk);
        ShardCounters counters = new ShardCounters();
        ShardDoors doors =
                new ShardDoors(
                        disk,
                        clock,
                        threads.workers(),
                        recoveryPoints,
                        counters,
                        ReplicationDoors.alone());
        List<Shard> shards = new ArrayList<>();
        for (Mailbox loop : threads.loops().mailboxes()) {
            shards.add(new Shard(loop, doors, config.storage().flushInterval()));
        }
        PartitionDirectory partitions = new PartitionDirectory(shards);
        PartitionKeeper keeper =
                parts.own(
                        "partitions",
                        new PartitionKeeper(disk, partitions, recoveryPoints, threads, config));
        keeper.start();
        return new BrokerStorage(disk, partitions, keeper, counters);
    }
}
