package io.sluice.partition;

import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.log.TopicSettings;
import io.sluice.log.recovery.RecoveryReport;
import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A share of the partitions, all owned by one thread.
///
/// Keeps the time for its partitions: what nobody waits for is flushed a little later, together. Owned by its mailbox.
public final class Shard {
    private static final Logger LOG = LoggerFactory.getLogger(Shard.class);

    private static final Duration IDLE_CHECK = Duration.ofMillis(1);

    private final Mailbox mailbox;
    private final ShardDoors doors;
    private final Duration flushInterval;
    private final ShardCounters counters;
    private final Set<Partition> openPartitions = new LinkedHashSet<>();
    private List<Partition> unflushed = new ArrayList<>();

    public Shard(Mailbox mailbox, ShardDoors doors, Duration flushInterval) {
        this.mailbox = mailbox;
        this.doors = doors;
        this.flushInterval = flushInterval;
        this.counters = doors.counters();
    }

    public Mailbox mailbox() {
        return mailbox;
    }

    ShardDoors doors() {
        return doors;
    }

    Partition add(PartitionId id, UUID topicId, TopicSettings settings, Assignment assignment) {
        return new Partition(id, topicId, this, settings, assignment);
    }

    void recovered(PartitionId id, RecoveryReport report) {
        counters.logsOpened.increment();
        counters.recoveredBytesScanned.add(report.bytesScanned());
        if (report.bytesCut() > 0) {
            LOG.warn(
                    "{}: cut {} bytes of an unfinished write; nothing acknowledged was in them",
                    id,
                    report.bytesCut());
        }
        if (!report.damages().isEmpty()) {
            counters.damages.add(report.damages().size());
            LOG.error("{}: damaged on disk, will not be served: {}", id, report.damages());
        }
    }

    void opened(Partition partition) {
        openPartitions.add(partition);
        counters.partitionsOpen.increment();
    }

    void wentOffline(Partition partition) {
        counters.partitionsOffline.increment();
        closed(partition);
    }

    void offlineIsGone() {
        counters.partitionsOffline.decrement();
    }

    void closed(Partition partition) {
        if (openPartitions.remove(partition)) {
            counters.partitionsOpen.decrement();
        }
    }

    /// Something was appended that may not be durable yet.
    void flushLater(Partition partition) {
        if (!partition.markUnflushed()) {
            return;
        }
        unflushed.add(partition);
        if (unflushed.size() == 1) {
            mailbox.schedule(flushInterval, this::flushAll);
        }
    }

    private void flushAll() {
        List<Partition> due = unflushed;
        unflushed = new ArrayList<>();
        for (Partition partition : due) {
            partition.flush();
        }
    }

    /// On the owner's thread: notes how far each open partition is durable.
    public void checkpoint() {
        for (Partition partition : openPartitions) {
            partition.checkpoint();
        }
    }

    /// On the owner's thread: retention and the like, for every open partition.
    public void keepHouse() {
        for (Partition partition : List.copyOf(openPartitions)) {
            try {
                partition.keepHouse();
            } catch (RuntimeException bug) {
                LOG.error("{} could not be kept in order; the others go on", partition, bug);
            }
        }
    }

    /// On the owner's thread: the clean end of all partitions; completes when everything is on disk.
    public Reply<Boolean> close() {
        Reply<Boolean> closed = new Reply<>();
        closeWhenIdle(closed);
        return closed;
    }

    private void closeWhenIdle(Reply<Boolean> closed) {
        for (Partition partition : openPartitions) {
            if (!partition.isIdle()) {
                mailbox.schedule(IDLE_CHECK, () -> closeWhenIdle(closed));
                return;
            }
        }
        List<Reply<Boolean>> parts = new ArrayList<>();
        for (Partition partition : openPartitions) {
            parts.add(partition.close());
        }
        openPartitions.clear();
        Reply.all(parts).whenDone(_ -> closed.complete(true));
    }
}
