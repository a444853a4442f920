package io.sluice.node;

import io.sluice.env.Disk;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.partition.Lookup;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionDirectory;
import io.sluice.partition.PartitionStatus;
import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Opens every partition that has data, a few at a time after the start.
///
/// Partitions open when somebody uses them; those that nobody asks for would otherwise never expire or be compacted, and damage in them would stay unnoticed.
/// Owned by the controller's mailbox.
final class FirstVisits {
    private static final Logger LOG = LoggerFactory.getLogger(FirstVisits.class);
    private static final int AT_A_TIME = 5;
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final Disk disk;
    private final PartitionDirectory partitions;
    private final Workers workers;
    private final Mailbox owner;
    private final Predicate<PartitionId> hadData;
    private final ArrayDeque<Partition> waiting = new ArrayDeque<>();
    private final Reply<Boolean> done = new Reply<>();

    /// @param hadData by what was written down; its folder may be gone all the same, which has to be found out
    FirstVisits(
            Disk disk,
            PartitionDirectory partitions,
            Workers workers,
            Mailbox owner,
            Predicate<PartitionId> hadData) {
        this.disk = disk;
        this.partitions = partitions;
        this.workers = workers;
        this.owner = owner;
        this.hadData = hadData;
    }

    /// On the owner's thread, once. Completes when every one was opened, or could not be.
    Reply<Boolean> begin() {
        workers.call(Workers.Kind.HOUSEKEEPING, owner, () -> new HashSet<>(disk.list("")))
                .then(
                        this::plan,
                        failure -> LOG.error("The data folder cannot be listed", failure));
        return done;
    }

    private void plan(Set<String> folders) {
        partitions.all().stream()
                .filter(
                        partition ->
                                folders.contains(partition.id().toString())
                                        || hadData.test(partition.id()))
                .sorted(Comparator.comparing(Partition::toString))
                .forEach(waiting::add);
        visitSome();
    }

    private void visitSome() {
        List<Reply<Lookup<PartitionStatus>>> visits = new ArrayList<>(AT_A_TIME);
        while (visits.size() < AT_A_TIME && !waiting.isEmpty()) {
            visits.add(waiting.poll().status(owner));
        }
        if (visits.isEmpty()) {
            done.complete(true);
        } else {
            Reply.all(visits).whenDone(_ -> owner.schedule(PAUSE, this::visitSome));
        }
    }
}
