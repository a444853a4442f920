package io.sluice.replication;

import io.sluice.env.Clock;
import io.sluice.env.Mailbox;
import io.sluice.env.Network;
import io.sluice.partition.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/// Everything that this broker copies from others: one fetcher for each leader and shard.
///
/// Thread-safe: orders cross to the shard that owns the partition, in the order in which they are given.
public final class ReplicaFetchers {
    private final List<ShardFetchers> shards = new ArrayList<>();

    /// What all fetchers share. Immutable.
    ///
    /// @param self the id of this broker
    /// @param ownEpoch under which this process is registered now: not another one with its id
    /// @param pace of what moves here
    public record Setup(
            Network network,
            Clock clock,
            Peers.Book book,
            int self,
            LongSupplier ownEpoch,
            ReplicationCounters counters,
            MovePace pace) {
        /// Nothing is held back.
        public Setup(
                Network network,
                Clock clock,
                Peers.Book book,
                int self,
                LongSupplier ownEpoch,
                ReplicationCounters counters) {
            this(network, clock, book, self, ownEpoch, counters, MovePace.unlimited());
        }
    }

    public ReplicaFetchers(Setup setup, List<? extends Mailbox> owners) {
        for (Mailbox owner : owners) {
            shards.add(new ShardFetchers(setup, owner));
        }
    }

    /// From now on the partition is copied from this leader, as of this epoch; whatever was said of it before is over.
    public void follow(Partition partition, int leader, int leaderEpoch) {
        ShardFetchers shard = shardOf(partition);
        partition.owner().run(() -> shard.follow(partition, leader, leaderEpoch));
    }

    /// From now on the partition is not copied: it is led here, has no leader, or has gone.
    public void drop(Partition partition) {
        ShardFetchers shard = shardOf(partition);
        partition.owner().run(() -> shard.drop(partition));
    }

    /// Broken-off connections may be tried again at once: brokers have come or moved.
    public void brokersChanged() {
        shards.forEach(shard -> shard.home().run(shard::brokersChanged));
    }

    /// Nothing is fetched any more.
    public void close() {
        shards.forEach(shard -> shard.home().run(shard::close));
    }

    private ShardFetchers shardOf(Partition partition) {
        for (ShardFetchers shard : shards) {
            if (shard.home().equals(partition.owner())) {
                return shard;
            }
        }
        throw new IllegalArgumentException(partition + " belongs to none of the shards");
    }
}
