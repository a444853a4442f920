package io.sluice.node;

import io.sluice.env.Disk;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.env.Workers;
import io.sluice.partition.Lookup;
import io.sluice.partition.Partition;
import io.sluice.partition.PartitionDirectory;
import io.sluice.partition.PartitionStatus;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
    private final ArrayDeque<Partition> waiting = new ArrayDeque<>();

    FirstVisits(Disk disk, PartitionDirectory partitions, Workers workers, Mailbox owner) {
        this.disk = disk;
        this.partitions = partitions;
        this.workers = workers;
        this.owner = owner;
    }

    /// On the owner's thread, once.
    void begin() {
        workers.call(Workers.Kind.HOUSEKEEPING, owner, () -> new HashSet<>(disk.list("")))
                .then(
                        this::plan,
                        failure -> LOG.error("The data folder cannot be listed", failure));
    }

    private void plan(Set<String> folders) {
        partitions.all().stream()
                .filter(partition -> folders.contains(partition.id().toString()))
                .sorted(Comparator.comparing(Partition::toString))
                .forEach(waiting::add);
        visitSome();
    }

    private void visitSome() {
        List<Reply<Lookup<PartitionStatus>>> visits = new ArrayList<>(AT_A_TIME);
        while (visits.size() < AT_A_TIME && !waiting.isEmpty()) {
            visits.add(waiting.poll().status(owner));
        }
        if (!visits.isEmpty()) {
            Reply.all(visits).whenDone(_ -> owner.schedule(PAUSE, this::visitSome));
        }
    }
}
