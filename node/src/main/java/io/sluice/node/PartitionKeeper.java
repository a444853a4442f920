package io.sluice.node;

import io.sluice.env.Clock;
import io.sluice.env.Crossing;
import io.sluice.env.Disk;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.log.Checkpoints;
import io.sluice.log.recovery.RecoveryPoint;
import io.sluice.partition.CheckpointDoor;
import io.sluice.partition.Ending;
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
/// Owned by the controller's mailbox; [#write(Mailbox)] and [#isDateTrusted] are thread-safe.
final class PartitionKeeper implements CheckpointDoor {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionKeeper.class);
    private static final String FILE = "checkpoint";

    private final Disk disk;
    private final Workers workers;
    private final Mailbox owner;
    private final RecoveryPoints points;
    private final NodeSettings.Storage settings;
    private final ClockTrust clockTrust;
    private @Nullable Reply<Boolean> writing;
    private @Nullable Reply<Boolean> writingNext;
    private boolean closed;
    private boolean visited;

    PartitionKeeper(
            Disk disk,
            Workers workers,
            Mailbox owner,
            RecoveryPoints points,
            NodeSettings.Storage settings,
            Clock clock) {
        this.disk = disk;
        this.workers = workers;
        this.owner = owner;
        this.points = points;
        this.settings = settings;
        this.clockTrust = new ClockTrust(clock);
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
            Crossing.tell(shard.mailbox(), "A shard's checkpoint", shard::checkpoint);
        }
        // What changes during a write is for the next one, which asks again.
        if (writing == null && points.takeChanged()) {
            write().then(_ -> {}, this::notWritten);
        }
    }

    private void notWritten(Throwable failure) {
        LOG.error(
                "The checkpoint cannot be written; the next try comes with the next one", failure);
        points.markChanged();
    }

    /// Every log that a former life has left was opened, so that it is flushed, or is known to be offline.
    void everythingWasVisited() {
        visited = true;
    }

    boolean isEverythingVisited() {
        return visited;
    }

    /// Something of it was durable here, by what is written down.
    boolean hadData(PartitionId id) {
        RecoveryPoint known = points.find(id);
        return known != null && known.durableOffset() > known.startOffset();
    }

    /// The data of a deleted partition is no longer known to be durable: there is none.
    void forget(PartitionId id) {
        points.forget(id);
    }

    @Override
    public Reply<Boolean> write(Mailbox home) {
        return Crossing.ask(owner, home, "Writing the checkpoint", this::write);
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

    /// Whether the machine's date may decide that something is old; also between one look of the housekeeping and the next.
    boolean isDateTrusted() {
        return clockTrust.isTrusted();
    }

    private void keepHouse(PartitionDirectory partitions) {
        if (closed) {
            return;
        }
        owner.schedule(settings.housekeepingInterval(), () -> keepHouse(partitions));
        boolean dateIsTrusted = clockTrust.look();
        for (Shard shard : partitions.shards()) {
            Crossing.tell(
                    shard.mailbox(),
                    "A shard's housekeeping",
                    () -> shard.keepHouse(dateIsTrusted));
        }
    }

    /// The clean end of all partitions. Completes on the owner's thread when everything that was open is on disk.
    Reply<Ending> close(PartitionDirectory partitions) {
        closed = true;
        List<Reply<Ending>> parts = new ArrayList<>();
        for (Shard shard : partitions.shards()) {
            parts.add(Crossing.ask(shard.mailbox(), owner, "The end of a shard", shard::close));
        }
        return Reply.all(parts)
                .flatMap(all -> write().map(_ -> all.stream().reduce(Ending.FLUSHED, Ending::and)));
    }
}
