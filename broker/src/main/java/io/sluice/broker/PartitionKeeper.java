package io.sluice.broker;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.env.os.OsDisk;
import io.sluice.log.Checkpoints;
import io.sluice.partition.PartitionDirectory;
import io.sluice.partition.RecoveryPoints;
import io.sluice.partition.Shard;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the time for all shards: writes down how far partitions are durable, keeps house, and sees them off at the end.
///
/// Owned by the controller's mailbox, except the close.
final class PartitionKeeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionKeeper.class);
    private static final String FILE = "checkpoint";

    private final OsDisk disk;
    private final PartitionDirectory partitions;
    private final RecoveryPoints points;
    private final BrokerThreads threads;
    private final BrokerConfig config;
    private boolean writing;

    PartitionKeeper(
            OsDisk disk,
            PartitionDirectory partitions,
            RecoveryPoints points,
            BrokerThreads threads,
            BrokerConfig config) {
        this.disk = disk;
        this.partitions = partitions;
        this.points = points;
        this.threads = threads;
        this.config = config;
    }

    /// What the last run has written down. A damaged file costs time only: partitions are scanned further back.
    static RecoveryPoints read(OsDisk disk) {
        Checkpoints.Loaded loaded = Checkpoints.read(disk, FILE);
        if (loaded.damaged()) {
            LOG.warn("The checkpoint file is damaged; opening partitions takes longer this time");
        }
        return new RecoveryPoints(loaded.points());
    }

    void start() {
        Mailbox owner = threads.controller();
        owner.schedule(config.storage().checkpointInterval(), this::checkpoint);
        owner.schedule(config.storage().housekeepingInterval(), this::keepHouse);
    }

    private void checkpoint() {
        threads.controller().schedule(config.storage().checkpointInterval(), this::checkpoint);
        for (Shard shard : partitions.shards()) {
            shard.mailbox().run(shard::checkpoint);
        }
        if (points.takeChanged() && !writing) {
            writing = true;
            write().whenDone(_ -> writing = false);
        }
    }

    /// The data of a deleted partition is no longer known to be durable: there is none.
    void forget(PartitionId id) {
        points.forget(id);
    }

    /// On the owner's thread. The points are those of this moment.
    Reply<Boolean> write() {
        return threads.workers()
                .call(
                        Workers.Kind.HOUSEKEEPING,
                        threads.controller(),
                        () -> {
                            Checkpoints.write(disk, FILE, points.all());
                            return true;
                        });
    }

    private void keepHouse() {
        threads.controller().schedule(config.storage().housekeepingInterval(), this::keepHouse);
        for (Shard shard : partitions.shards()) {
            shard.mailbox().run(shard::keepHouse);
        }
    }

    @Override
    public void close() {
        List<CompletableFuture<Boolean>> closed = new ArrayList<>();
        for (Shard shard : partitions.shards()) {
            CompletableFuture<Boolean> one = new CompletableFuture<>();
            Consumer<Reply<Boolean>> done = _ -> one.complete(true);
            shard.mailbox().run(() -> shard.close().whenDone(done));
            closed.add(one);
        }
        closed.forEach(CompletableFuture::join);
        // By the same one worker as the others, so that two never write the file at a time.
        CompletableFuture<Boolean> written = new CompletableFuture<>();
        threads.controller()
                .run(() -> write().then(written::complete, written::completeExceptionally));
        written.join();
    }
}
