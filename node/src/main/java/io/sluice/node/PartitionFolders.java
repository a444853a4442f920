package io.sluice.node;

import io.sluice.env.Disk;
import io.sluice.env.Entropy;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.log.PartitionFolder;
import io.sluice.log.segment.LogFolder;
import io.sluice.partition.PartitionDirectory;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The folders of partitions as wholes: moved out of the way, removed, visited. Owned by the controller's mailbox; the disk is a worker's.
final class PartitionFolders {
    private final Disk disk;
    private final Workers workers;
    private final Entropy entropy;
    private final Mailbox owner;
    private final PartitionKeeper keeper;

    PartitionFolders(NodeDoors doors, PartitionKeeper keeper) {
        this.disk = doors.disk();
        this.workers = doors.workers();
        this.entropy = doors.entropy();
        this.owner = doors.controller();
        this.keeper = keeper;
    }

    void forget(PartitionId id) {
        keeper.forget(id);
    }

    Reply<Boolean> writeCheckpoint() {
        return keeper.write();
    }

    /// A topic was deleted. Asked again after a crash, it does what is left to do. A folder that says that it is another topic's stays: the order to delete may be older than that, where the store was restored from a backup.
    ///
    /// @return those of which nothing is left here
    Reply<List<PartitionId>> moveAway(List<PartitionId> ids, UUID topic) {
        return work(
                () -> {
                    List<PartitionId> gone = new ArrayList<>(ids.size());
                    for (PartitionId id : ids) {
                        LogFolder folder = new LogFolder(disk, id.toString(), topic);
                        if (!PartitionFolder.isAnothers(folder)) {
                            String unique = topic + "-" + id.index();
                            PartitionFolder.markDeleted(disk, folder.directory(), unique);
                            gone.add(id);
                        }
                    }
                    return gone;
                });
    }

    /// A replica has moved to another broker; it may come back and move again.
    Reply<Boolean> moveAway(PartitionId id) {
        String unique = entropy.nextUuid().toString();
        return work(() -> {
                    PartitionFolder.markDeleted(disk, id.toString(), unique);
                    return true;
                })
                .flatMap(_ -> keeper.write());
    }

    /// Frees the space of what was moved away, now or before a crash.
    Reply<Boolean> deleteMoved() {
        return work(
                () -> {
                    for (String name : disk.list("")) {
                        if (PartitionFolder.isDeleted(name)) {
                            PartitionFolder.remove(disk, name);
                        }
                    }
                    return true;
                });
    }

    /// Moves away every partition on the disk of which this is true. The question is asked on the owner's thread.
    Reply<Integer> moveAwayStrangers(Predicate<PartitionId> isStranger) {
        return work(() -> disk.list(""))
                .flatMap(
                        names -> {
                            List<Reply<Boolean>> moved = new ArrayList<>();
                            for (String name : names) {
                                PartitionId id = parse(name);
                                if (id != null && isStranger.test(id)) {
                                    forget(id);
                                    moved.add(moveAway(id));
                                }
                            }
                            return Reply.all(moved);
                        })
                .flatMap(
                        moved ->
                                moved.isEmpty()
                                        ? Reply.of(0)
                                        : deleteMoved().map(_ -> moved.size()));
    }

    private static @Nullable PartitionId parse(String folder) {
        int dash = folder.lastIndexOf('-');
        if (dash <= 0) {
            return null;
        }
        try {
            return new PartitionId(
                    folder.substring(0, dash), Integer.parseInt(folder.substring(dash + 1)));
        } catch (NumberFormatException _) {
            return null;
        }
    }

    void visitAll(PartitionDirectory partitions) {
        new FirstVisits(disk, partitions, workers, owner, keeper::hadData)
                .begin()
                .then(_ -> keeper.everythingWasVisited(), _ -> {});
    }

    private <T> Reply<T> work(Callable<T> job) {
        return workers.call(Workers.Kind.HOUSEKEEPING, owner, job);
    }
}
