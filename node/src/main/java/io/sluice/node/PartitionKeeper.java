package io.sluice.node;

import io.sluice.env.Disk;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.log.Checkpoints;
import io.sluice.partition.CheckpointDoor;
import io.sluice.partition.PartitionDirectory;
import io.sluice.partition.RecoveryPoints;
import io.sluice.partition.Shard;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the time for all shards: writes down how far partitions are durable, keeps house, and sees them off at the end.
///
/// Owned by the controller's mailbox; [#write(Mailbox)] is thread-safe.
final class PartitionKeeper implements CheckpointDoor {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionKeeper.class);
    private static final String FILE = "checkpoint";

    private final Disk disk;
    private final Workers workers;
    private final Mailbox owner;
    private final RecoveryPoints points;
    private final NodeSettings.Storage settings;
    private @Nullable Reply<Boolean> writing;
    private @Nullable Reply<Boolean> writingNext;
    private boolean closed;

    PartitionKeeper(NodeDoors doors, RecoveryPoints points, NodeSettings.Storage settings) {
        this.disk = doors.disk();
        this.workers = doors.workers();
        this.owner = doors.controller();
        this.points = points;
        this.settings = settings;
    }

    /// What the last run has written down. A damaged file costs time only: partitions are scanned further back.
    static RecoveryPoints read(Disk disk) {
        Checkpoints.Loaded loaded = Checkpoints.read(disk, FILE);
        if (loaded.damaged()) {
            LOG.warn("The checkpoint file is damaged; opening partitions takes longer this time");
        }
        return new RecoveryPoints(loaded.points());
    }

    void start(PartitionDirectory partitions) {
        owner.schedule(settings.checkpointInterval(), () -> checkpoint(partitions));
        owner.schedule(settings.housekeepingInterval(), () -> keepHouse(partitions));
    }

    private void checkpoint(PartitionDirectory partitions) {
        if (closed) {
            return;
        }
        owner.schedule(settings.checkpointInterval(), () -> checkpoint(partitions));
        for (Shard shard : partitions.shards()) {
            shard.mailbox().run(shard::checkpoint);
        }
        if (points.takeChanged() && writing == null) {
            write().then(
                            _ -> {},
                            failure -> LOG.error("The checkpoint cannot be written", failure));
        }
    }

    /// The data of a deleted partition is no longer known to be durable: there is none.
    void forget(PartitionId id) {
        points.forget(id);
    }

    @Override
    public Reply<Boolean> write(Mailbox home) {
        Reply<Boolean> reply = new Reply<>();
        owner.run(
                () ->
                        write().then(
                                        done -> reply.completeOn(home, done),
                                        failure -> home.run(() -> reply.fail(failure))));
        return reply;
    }

    /// On the owner's thread. The points are at least as new as this moment's. One write at a time; those who ask meanwhile share the next.
    Reply<Boolean> write() {
        if (writing == null) {
            Reply<Boolean> now = new Reply<>();
            begin(now);
            return now;
        }
        if (writingNext == null) {
            writingNext = new Reply<>();
        }
        return writingNext;
    }

    private void begin(Reply<Boolean> reply) {
        writing = reply;
        workers.call(
                        Workers.Kind.HOUSEKEEPING,
                        owner,
                        () -> {
                            Checkpoints.write(disk, FILE, points.all());
                            return true;
                        })
                .whenDone(
                        done -> {
                            Reply<Boolean> next = writingNext;
                            writing = null;
                            writingNext = null;
                            if (next != null) {
                                begin(next);
                            }
                            done.then(reply::complete, reply::fail);
                        });
    }

    private void keepHouse(PartitionDirectory partitions) {
        if (closed) {
            return;
        }
        owner.schedule(settings.housekeepingInterval(), () -> keepHouse(partitions));
        for (Shard shard : partitions.shards()) {
            shard.mailbox().run(shard::keepHouse);
        }
    }

    /// The clean end of all partitions. Completes on the owner's thread when everything is on disk.
    Reply<Boolean> close(PartitionDirectory partitions) {
        closed = true;
        List<Reply<Boolean>> parts = new ArrayList<>();
        for (Shard shard : partitions.shards()) {
            Reply<Boolean> one = new Reply<>();
            shard.mailbox().run(() -> shard.close().whenDone(_ -> one.completeOn(owner, true)));
            parts.add(one);
        }
        return Reply.all(parts).flatMap(_ -> write());
    }
}
