package io.sluice.replication;

import io.sluice.env.Mailbox;
import io.sluice.partition.Partition;
import io.sluice.record.PartitionId;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What one shard copies, and from whom. Owned by its shard.
final class ShardFetchers {
    private final ReplicaFetchers.Setup setup;
    private final Mailbox home;
    private final Map<Integer, ReplicaFetcher> byLeader = new TreeMap<>();
    private final Map<PartitionId, ReplicaFetcher> byPartition = new HashMap<>();
    private boolean closed;

    ShardFetchers(ReplicaFetchers.Setup setup, Mailbox home) {
        this.setup = setup;
        this.home = home;
    }

    Mailbox home() {
        return home;
    }

    void follow(Partition partition, int leader, int leaderEpoch) {
        if (closed) {
            return;
        }
        ReplicaFetcher before = byPartition.get(partition.id());
        ReplicaFetcher now =
                byLeader.computeIfAbsent(leader, _ -> new ReplicaFetcher(setup, leader, home));
        if (before != null && before != now) {
            remove(before, partition.id());
        }
        byPartition.put(partition.id(), now);
        now.follow(partition, leaderEpoch);
    }

    void drop(Partition partition) {
        ReplicaFetcher before = byPartition.remove(partition.id());
        if (before != null) {
            remove(before, partition.id());
        }
    }

    private void remove(@Nullable ReplicaFetcher fetcher, PartitionId id) {
        if (fetcher == null) {
            return;
        }
        fetcher.drop(id);
        if (fetcher.isEmpty()) {
            fetcher.close();
            byLeader.values().remove(fetcher);
        }
    }

    void brokersChanged() {
        byLeader.values().forEach(ReplicaFetcher::brokersChanged);
    }

    void close() {
        closed = true;
        byLeader.values().forEach(ReplicaFetcher::close);
        byLeader.clear();
        byPartition.clear();
    }
}
