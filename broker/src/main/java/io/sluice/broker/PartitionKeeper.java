package io.sluice.broker;

import io.sluice.partition.PartitionDirectory;
import io.sluice.partition.Shard;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Sees the partitions off: at the end everything is made durable before the threads go. Thread-safe.
final class PartitionKeeper implements AutoCloseable {
    private final PartitionDirectory partitions;

    PartitionKeeper(PartitionDirectory partitions) {
        this.partitions = partitions;
    }

    @Override
    public void close() {
        List<CompletableFuture<Boolean>> closed = new ArrayList<>();
        for (Shard shard : partitions.shards()) {
            CompletableFuture<Boolean> one = new CompletableFuture<>();
            shard.mailbox().run(() -> shard.close().whenDone(_ -> one.complete(true)));
            closed.add(one);
        }
        closed.forEach(CompletableFuture::join);
    }
}
