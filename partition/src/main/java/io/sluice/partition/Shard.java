package io.sluice.partition;

import io.sluice.env.Crossing;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.log.TopicSettings;
import io.sluice.log.recovery.RecoveryReport;
import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A share of the partitions, all owned by one thread.
///
/// Keeps the time for its partitions: what nobody waits for is flushed a little later, together. Owned by its mailbox.
public final class Shard {
    private static final Logger LOG = LoggerFactory.getLogger(Shard.class);

    private static final Duration IDLE_CHECK = Duration.ofMillis(1);

    /// How often it is asked whether this broker still leads, and how long producers wait for followers while nobody says so. Longer than any round through followers that are there.
    static final Duration DOUBT_CHECK = Duration.ofMillis(500);

    private final Mailbox mailbox;
    private final ShardDoors doors;
    private final Duration flushInterval;
    private final ShardCounters counters;
    private final Set<Replica> openReplicas = new LinkedHashSet<>();

    /// Were open in this life, or should have been, and have let go of their files without a flush.
    private final Set<Replica> unforced = new HashSet<>();

    private final Set<Replica> leading = new LinkedHashSet<>();
    private boolean watchesStanding;
    private List<Replica> unflushed = new ArrayList<>();
    private Consumer<String> diskFailed = _ -> {};

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

    /// Hears, on this shard's thread, of a log that has failed on its disk: what has happened, in a sentence. Set once, before there are partitions.
    public void onDiskFailure(Consumer<String> listener) {
        diskFailed = listener;
    }

    void diskFailed(String sentence) {
        diskFailed.accept(sentence);
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

    void opened(Replica replica) {
        openReplicas.add(replica);
        unforced.remove(replica);
        counters.partitionsOpen.increment();
    }

    void wentOffline(Replica replica) {
        counters.partitionsOffline.increment();
        closed(replica);
    }

    void offlineIsGone() {
        counters.partitionsOffline.decrement();
    }

    void closed(Replica replica) {
        unforced.add(replica);
        if (openReplicas.remove(replica)) {
            counters.partitionsOpen.decrement();
        }
    }

    /// Deleted here.
    void gone(Replica replica) {
        closed(replica);
        unforced.remove(replica);
    }

    /// A replica leads others, which have to be looked after.
    void leadsFollowers(Replica replica) {
        if (leading.add(replica) && leading.size() == 1) {
            mailbox.schedule(followerCheck(), this::checkFollowers);
            if (!watchesStanding) {
                watchesStanding = true;
                mailbox.schedule(DOUBT_CHECK, this::checkStanding);
            }
        }
    }

    /// Whoever is cut off from the others, and not from its clients, would let them wait until their own time is up, and be asked once more.
    private void checkStanding() {
        if (leading.isEmpty()) {
            watchesStanding = false;
            return;
        }
        if (!doors.replication().certain().getAsBoolean()) {
            forEach(leading, "Producers of ", replica -> replica.doubt(DOUBT_CHECK));
        }
        mailbox.schedule(DOUBT_CHECK, this::checkStanding);
    }

    /// Twice within the time that a follower may be behind.
    private Duration followerCheck() {
        return doors.replication().lagTimeMax().dividedBy(2);
    }

    private void checkFollowers() {
        forEach(
                leading,
                "The followers of ",
                replica -> {
                    if (!replica.checkFollowers()) {
                        leading.remove(replica);
                    }
                });
        if (!leading.isEmpty()) {
            mailbox.schedule(followerCheck(), this::checkFollowers);
        }
    }

    /// Something was appended that may not be durable yet; told once until the next flush.
    void flushLater(Replica replica) {
        unflushed.add(replica);
        if (unflushed.size() == 1) {
            mailbox.schedule(flushInterval, this::flushAll);
        }
    }

    private void flushAll() {
        List<Replica> due = unflushed;
        unflushed = new ArrayList<>();
        forEach(due, "The flush of ", Replica::flush);
    }

    /// One that meets a bug must not keep the others from what they need.
    private void forEach(Collection<Replica> replicas, String what, Consumer<Replica> work) {
        for (Replica replica : List.copyOf(replicas)) {
            Crossing.alone(mailbox, what + replica, () -> work.accept(replica));
        }
    }

    /// On the owner's thread: notes how far each open partition is durable.
    public void checkpoint() {
        forEach(openReplicas, "The checkpoint of ", Replica::checkpoint);
    }

    /// On the owner's thread: retention and the like, for every open partition.
    public void keepHouse() {
        keepHouse(true);
    }

    /// As [#keepHouse()].
    ///
    /// @param dateIsTrusted otherwise nothing goes because it is old
    public void keepHouse(boolean dateIsTrusted) {
        if (!dateIsTrusted) {
            counters.agingHeldBack.increment();
        }
        forEach(openReplicas, "Keeping house for ", replica -> replica.keepHouse(dateIsTrusted));
    }

    /// On the owner's thread: the clean end of all partitions; completes when everything that is open is on disk.
    public Reply<Ending> close() {
        Reply<Ending> closed = new Reply<>();
        closeWhenIdle(closed);
        return closed;
    }

    private void closeWhenIdle(Reply<Ending> closed) {
        for (Replica replica : openReplicas) {
            if (!replica.isIdle()) {
                mailbox.schedule(IDLE_CHECK, () -> closeWhenIdle(closed));
                return;
            }
        }
        int count = openReplicas.size();
        Ending atBest = unforced.isEmpty() ? Ending.FLUSHED : Ending.PARTLY;
        List<Reply<Boolean>> parts = new ArrayList<>();
        forEach(openReplicas, "The clean end of ", replica -> parts.add(replica.close()));
        openReplicas.clear();
        Reply.all(parts)
                .whenDone(
                        all ->
                                closed.complete(
                                        !all.isFailed()
                                                        && parts.size() == count
                                                        && !all.value().contains(false)
                                                ? atBest
                                                : Ending.FAILED));
    }
}
