package io.sluice.partition;

import io.sluice.env.Crossing;
import io.sluice.env.Mailbox;
import io.sluice.log.AppendResult;
import io.sluice.log.PartitionLog;
import io.sluice.log.state.LeaderEpochs;
import io.sluice.partition.AckListener.Settled;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// This broker leads a partition for a term: appends what producers send, answers when it is as safe as they ask, and lets followers read.
///
/// The decisions are [LeaderRole]'s; here batches, replies, timers and proposals are moved. Owned by its shard.
final class Leadership implements Term {
    private final OpenPartition open;
    private final PartitionLog log;
    private final LeaderRole role;
    private final Mailbox owner;

    /// Null until there is a follower.
    private @Nullable FollowerReads followerReads;

    private @Nullable InSyncProposals proposals;
    private final FullDiskNotice fullDisk;
    private final Set<EndWatch> endWatches = new LinkedHashSet<>(0);
    private Mailbox.@Nullable Timer timer;
    private long timerNanos = PendingAcks.NO_DEADLINE;
    private long watermarkTold;
    private boolean ended;

    private Leadership(OpenPartition open, LeaderRole role) {
        this.open = open;
        this.log = open.log();
        this.role = role;
        this.owner = open.owner();
        this.fullDisk = new FullDiskNotice(open.id());
        this.watermarkTold = role.highWatermark();
    }

    /// The log learns of the term before its first batch, so that a follower that comes with an older one is told from where on it differs.
    static Leadership begin(OpenPartition open, Assignment assignment, long highWatermark) {
        PartitionLog log = open.log();
        LeaderEpochs epochs = log.leaderEpochs();
        epochs.note(assignment.leaderEpoch(), log.endOffset());
        LeaderEpochs.Entry last = epochs.entries().getLast();
        long termStart =
                last.epoch() == assignment.leaderEpoch() ? last.startOffset() : log.endOffset();
        ShardDoors doors = open.doors();
        LeaderRole role =
                new LeaderRole(
                        assignment,
                        new LeaderRole.Start(
                                termStart, log.endOffset(), log.durableOffset(), highWatermark),
                        InSyncRules.of(log.settings(), doors.replication().lagTimeMax()),
                        doors.replication().brokers(),
                        doors.clock().monotonicNanos());
        return new Leadership(open, role);
    }

    @Override
    public LeaderRole role() {
        return role;
    }

    boolean isEnded() {
        return ended;
    }

    long nanos() {
        return open.doors().clock().monotonicNanos();
    }

    /// Appends and calls back when it is as safe as asked. The bytes are in the log when this returns.
    ///
    /// @param timeoutMillis how long to wait for that, negative for as long as it takes
    void append(ByteBuffer batches, Acks acks, int timeoutMillis, Consumer<AppendOutcome> done) {
        if (ended) {
            done.accept(failure(Settled.TERM_ENDED));
            return;
        }
        if (acks == Acks.ALL && role.lacksReplicas()) {
            done.accept(tooFew(Unavailable.NOT_ENOUGH_REPLICAS));
            return;
        }
        switch (log.append(batches, role.leaderEpoch())) {
            case AppendResult.Appended(long base, long next, long time, long start) -> {
                fullDisk.taken();
                role.appended(next, acks != Acks.ALL);
                boolean due = followerReads == null || role.gathering().appended();
                var outcome = new AppendOutcome.Acknowledged(base, time, start);
                settle(acks, next, timeoutMillis, outcome, done);
                // Readers wait for followers and disks, though a producer may not.
                if (due && (acks == Acks.ALL || role.hasFollowers())) {
                    flushForAcks();
                }
                if (followerReads != null) {
                    followerReads.appended(due);
                }
            }
            case AppendResult.Duplicate(long base, long next, long time, long start) -> {
                var outcome = new AppendOutcome.Acknowledged(base, time, start);
                settle(acks, next, timeoutMillis, outcome, done);
                if (acks == Acks.ALL) {
                    flushForAcks();
                }
            }
            // A refusal in Kafka's words, which its clients take for an acknowledgement.
            case AppendResult.DuplicateOfOld(long next, String sentence) -> {
                var outcome =
                        new AppendOutcome.Rejected(
                                AppendResult.Reason.DUPLICATE_SEQUENCE, sentence);
                settle(acks, next, timeoutMillis, outcome, done);
                if (acks == Acks.ALL) {
                    flushForAcks();
                }
            }
            case AppendResult.Rejected(AppendResult.Reason reason, String sentence) -> {
                if (reason == AppendResult.Reason.DISK_FULL) {
                    fullDisk.refused(sentence, nanos());
                    open.doors().counters().appendsWithoutRoom.increment();
                }
                done.accept(new AppendOutcome.Rejected(reason, sentence));
                if (log.offline() != null) {
                    open.requestFlush(); // Tells those who wait.
                }
            }
        }
    }

    private void settle(
            Acks acks,
            long next,
            int timeoutMillis,
            AppendOutcome outcome,
            Consumer<AppendOutcome> done) {
        if (acks != Acks.ALL || role.isSafe(next)) {
            done.accept(outcome);
        } else {
            long deadline =
                    timeoutMillis < 0
                            ? PendingAcks.NO_DEADLINE
                            : nanos() + timeoutMillis * 1_000_000L;
            role.await(
                    next,
                    nanos(),
                    deadline,
                    how -> done.accept(how == Settled.SAFE ? outcome : failure(how)));
            keepTime();
        }
        moved();
    }

    /// What is in the log becomes durable, where that is what acknowledgements and readers wait for.
    void flushForAcks() {
        if (!ended && !open.isSafeInMemory() && !role.isSafe(role.endOffset())) {
            open.requestFlush();
        }
    }

    private AppendOutcome failure(Settled how) {
        return switch (how) {
            case SAFE -> throw new IllegalArgumentException("not a failure: " + how);
            case DISK_FAILED ->
                    failed(
                            Unavailable.OFFLINE,
                            "The disk failed before " + open.id() + " was safe on it.");
            case TERM_ENDED ->
                    failed(
                            Unavailable.NOT_LEADER,
                            open.id() + " got another leader; send again to that one.");
            case TOO_FEW_IN_SYNC -> tooFew(Unavailable.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
            case IN_DOUBT ->
                    failed(
                            Unavailable.NOT_LEADER,
                            "This broker is out of touch with the others, and another one may lead "
                                    + open.id()
                                    + " by now; ask them.");
            case TIMED_OUT ->
                    failed(
                            Unavailable.TIMED_OUT,
                            open.id()
                                    + " was not safe on its in-sync replicas "
                                    + role.inSync().members()
                                    + " in the time that the producer gave (timeout.ms).");
        };
    }

    private AppendOutcome tooFew(Unavailable why) {
        if (role.replicas() < role.minInSync()) {
            return failed(
                    why,
                    open.id()
                            + " cannot take acks=all: min.insync.replicas of its topic is "
                            + role.minInSync()
                            + ", and it has "
                            + role.replicas()
                            + (role.replicas() == 1 ? " replica" : " replicas")
                            + " in all. Lower the setting, or give the topic more replicas.");
        }
        int size = role.inSync().size();
        return failed(
                why,
                open.id()
                        + " has "
                        + size
                        + (size == 1 ? " replica" : " replicas")
                        + " in sync, min.insync.replicas of its topic is "
                        + role.minInSync()
                        + ": lower it, or send with acks=1.");
    }

    private static AppendOutcome failed(Unavailable why, String sentence) {
        return new AppendOutcome.Failed(why, sentence);
    }

    /// One timer for all who wait: it seldom does more than find that they were told long ago.
    private void keepTime() {
        long next = role.nextDeadline();
        if (next >= timerNanos || ended) {
            return;
        }
        if (timer != null) {
            timer.cancel();
        }
        timerNanos = next;
        timer = owner.schedule(Duration.ofNanos(Math.max(0, next - nanos())), this::expire);
    }

    private void expire() {
        timer = null;
        timerNanos = PendingAcks.NO_DEADLINE;
        role.expireAcks(nanos());
        keepTime();
    }

    /// Nobody says any more that this broker leads.
    void doubt(Duration patience) {
        role.doubt(nanos() - patience.toNanos());
    }

    /// A follower's fetch, up to the log's end; notes how far the follower is.
    void readAsReplica(ReplicaFetch fetch, Consumer<ReplicaReadOutcome> done) {
        followerReads().read(fetch, done);
    }

    /// Wakes once when the log goes on behind the offset, or the safe watermark lies behind the given one.
    Partition.Wait awaitAsReplica(long offset, long highWatermark, Runnable wake) {
        return followerReads().await(offset, highWatermark, wake);
    }

    private FollowerReads followerReads() {
        if (followerReads == null) {
            followerReads = new FollowerReads(open, this);
        }
        return followerReads;
    }

    /// The plan has changed within this term.
    void planned(Assignment next) {
        role.planned(next, nanos());
        moved();
    }

    /// Now and then: followers that fell behind leave the in-sync set.
    void checkFollowers() {
        proposals().make(true);
    }

    /// A follower was heard of: it may have become fit for the in-sync set.
    void heardOf(int replica) {
        if (!role.inSync().contains(replica)) {
            proposals().make(false);
        }
    }

    private InSyncProposals proposals() {
        if (proposals == null) {
            proposals = new InSyncProposals(open, this);
        }
        return proposals;
    }

    @Override
    public void flushed(long durableOffset) {
        role.flushed(durableOffset);
        moved();
    }

    /// After everything that may have moved a watermark.
    void moved() {
        if (ended) {
            return;
        }
        if (role.highWatermark() != watermarkTold) {
            watermarkTold = role.highWatermark();
            open.progressed();
        }
        if (followerReads != null) {
            followerReads.moved();
        }
    }

    @Override
    public void settingsChanged() {
        role.changeRules(InSyncRules.of(log.settings(), open.doors().replication().lagTimeMax()));
        moved();
    }

    @Override
    public void diskFailed() {
        role.failAcks(Settled.DISK_FAILED);
    }

    /// For coordinators: this leader's term is over, nothing that it has not heard of as safe counts (KAFKA-20634).
    Partition.Wait onEnd(Runnable listener) {
        EndWatch watch = new EndWatch(listener);
        if (ended) {
            listener.run();
        } else {
            endWatches.add(watch);
        }
        return watch;
    }

    /// Somebody who has to hear of the end. A term may be long: whoever has ended before must not be kept for it.
    private final class EndWatch implements Partition.Wait {
        private final Runnable listener;

        EndWatch(Runnable listener) {
            this.listener = listener;
        }

        @Override
        public void cancel() {
            endWatches.remove(this);
        }
    }

    @Override
    public void end() {
        if (ended) {
            return;
        }
        ended = true;
        if (timer != null) {
            timer.cancel();
        }
        List<EndWatch> watches = List.copyOf(endWatches);
        endWatches.clear();
        // Before their acks fail, so that they know why.
        watches.forEach(watch -> Crossing.alone(owner, "The end of a term", watch.listener));
        role.failAcks(Settled.TERM_ENDED);
        if (followerReads != null) {
            followerReads.end();
        }
    }
}
