package io.sluice.partition;

import io.sluice.log.PartitionLog;
import io.sluice.log.state.LeaderEpochs;
import io.sluice.partition.ReplicaReadOutcome.Diverged;
import io.sluice.partition.ReplicaReadOutcome.Failed;
import io.sluice.partition.ReplicaReadOutcome.Found;
import io.sluice.partition.ReplicaReadOutcome.OutOfRange;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Followers at their leader: what they may read, and how those that have everything wait for more. Owned by its shard.
///
/// A fetch is fenced by term and broker epoch, then compared with the leader's history, and only then counts as progress (KIP-320, KIP-903).
///
/// What is appended is offered to followers at the end of the owner's turn, so that they get all that arrived together, or when [Gathering] says that all
/// who were to be waited for are there. Whoever asks meanwhile waits.
final class FollowerReads {
    /// Others are waited for half as long as the last round took, and not even that when nobody comes in the first half of it.
    private static final int LOOKS = 2;

    private static final int LOOKS_PER_ROUND = 4;
    private static final long SHORTEST_LOOK_NANOS = 50_000;
    private static final long LONGEST_LOOK_NANOS = 1_000_000;

    private final OpenPartition open;
    private final PartitionLog log;
    private final Leadership leadership;
    private final LeaderRole role;
    private final TailWaiters forRecords = new TailWaiters();
    private final TailWaiters forWatermark = new TailWaiters();
    private final Gathering gathering;
    private long watermarkTold;
    private long offeredEnd;
    private long offeredNanos;
    private long roundNanos;
    private boolean underWay;
    private boolean wakePosted;
    private boolean watching;
    private boolean ended;

    FollowerReads(OpenPartition open, Leadership leadership) {
        this.open = open;
        this.log = open.log();
        this.leadership = leadership;
        this.role = leadership.role();
        this.gathering = role.gathering();
        this.watermarkTold = role.safeWatermark();
        this.offeredEnd = log.endOffset();
    }

    void read(ReplicaFetch fetch, Consumer<ReplicaReadOutcome> done) {
        Unavailable fenced = role.fence(fetch);
        if (fenced != null) {
            done.accept(new Failed(fenced, sentence(fenced, fetch)));
            return;
        }
        LeaderEpochs.End diverging = findDivergence(fetch);
        if (diverging != null) {
            done.accept(
                    new Diverged(
                            diverging.epoch(),
                            diverging.endOffset(),
                            log.startOffset(),
                            role.safeWatermark()));
            return;
        }
        if (fetch.offset() < log.startOffset() || fetch.offset() > log.endOffset()) {
            done.accept(new OutOfRange(log.startOffset(), log.endOffset()));
            return;
        }
        long now = leadership.nanos();
        if (underWay && fetch.offset() == offeredEnd) {
            underWay = false;
            roundNanos = now - offeredNanos;
        }
        role.fetched(fetch, offeredEnd, now);
        leadership.moved();
        leadership.heardOf(fetch.replica());
        if (fetch.offset() < offeredEnd || gathering.isDue()) {
            handOn();
        } else {
            watch();
        }
        open.readUpTo(
                offeredEnd,
                fetch.offset(),
                fetch.maxBytes(),
                fetch.atLeastOneBatch(),
                outcome -> done.accept(replicaOutcome(outcome)));
    }

    /// Where the follower's history leaves the leader's, or null. Compared up to the log's end: what is not committed yet is history, too.
    private LeaderEpochs.@Nullable End findDivergence(ReplicaFetch fetch) {
        if (fetch.lastEpoch() < 0) {
            return null; // An empty log agrees with every other; one that has lost its files is
            // none.
        }
        LeaderEpochs.End end = log.leaderEpochs().endOf(fetch.lastEpoch(), log.endOffset());
        if (end.equals(LeaderEpochs.End.UNKNOWN)) {
            // It knows a later epoch than its leader: nothing of that is here.
            return new LeaderEpochs.End(log.leaderEpochs().latest(), log.endOffset());
        }
        return end.epoch() < fetch.lastEpoch() || end.endOffset() < fetch.offset() ? end : null;
    }

    private ReplicaReadOutcome replicaOutcome(ReadOutcome outcome) {
        return switch (outcome) {
            case ReadOutcome.Found(var records, long start, _) ->
                    new Found(records, start, role.safeWatermark());
            case ReadOutcome.OutOfRange(long start, long end) -> new OutOfRange(start, end);
            case ReadOutcome.Damaged(String sentence) -> new Failed(Unavailable.OFFLINE, sentence);
            case ReadOutcome.Failed(Unavailable why, String sentence) -> new Failed(why, sentence);
        };
    }

    private String sentence(Unavailable fenced, ReplicaFetch fetch) {
        return switch (fenced) {
            case FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH ->
                    open.id()
                            + " is in leader epoch "
                            + role.leaderEpoch()
                            + ", broker "
                            + fetch.replica()
                            + " asks in "
                            + fetch.leaderEpoch()
                            + ".";
            case STALE_BROKER_EPOCH ->
                    "Broker "
                            + fetch.replica()
                            + " asks with broker epoch "
                            + fetch.brokerEpoch()
                            + " and has registered anew since.";
            case NOT_HERE,
                    NOT_LEADER,
                    OFFLINE,
                    NOT_ENOUGH_REPLICAS,
                    NOT_ENOUGH_REPLICAS_AFTER_APPEND,
                    TIMED_OUT ->
                    open.id()
                            + " has no replica on broker "
                            + fetch.replica()
                            + " by the plan that its leader knows.";
        };
    }

    /// Wakes once when something behind the offset is offered, or the safe watermark lies behind the given one.
    Partition.Wait await(long offset, long highWatermark, Runnable wake) {
        // It may have been appended between the read that found nothing and this.
        boolean more = offeredEnd > offset || (log.endOffset() > offset && gathering.isDue());
        if (more || role.safeWatermark() > highWatermark) {
            wake.run();
            return () -> {};
        }
        watch();
        if (highWatermark == Long.MAX_VALUE) {
            return forRecords.add(wake)::cancel;
        }
        EitherWait wait = new EitherWait(wake);
        wait.records = forRecords.add(wait);
        wait.watermark = forWatermark.add(wait);
        return wait;
    }

    /// Woken by whichever comes first.
    private static final class EitherWait implements Partition.Wait, Runnable {
        private final Runnable wake;
        private TailWaiters.@Nullable Wait records;
        private TailWaiters.@Nullable Wait watermark;
        private boolean over;

        EitherWait(Runnable wake) {
            this.wake = wake;
        }

        @Override
        public void run() {
            if (!over) {
                cancel();
                wake.run();
            }
        }

        @Override
        public void cancel() {
            over = true;
            if (records != null) {
                records.cancel();
            }
            if (watermark != null) {
                watermark.cancel();
            }
        }
    }

    /// The log has grown.
    ///
    /// @param due nobody else is waited for
    void appended(boolean due) {
        if (!due) {
            watch();
        } else {
            wakeSoon();
        }
    }

    private void wakeSoon() {
        if (!forRecords.isEmpty() && !wakePosted) {
            wakePosted = true;
            open.owner()
                    .post(
                            () -> {
                                wakePosted = false;
                                offerAndWake();
                            });
        }
    }

    /// Offers what is new. True when there was anything, of which the disk and those who wait have to hear, too: nobody else will tell them.
    private boolean offer() {
        if (log.endOffset() == offeredEnd) {
            return false;
        }
        offeredEnd = log.endOffset();
        offeredNanos = leadership.nanos();
        underWay = true;
        gathering.handedOn();
        return true;
    }

    /// One follower takes along all that has arrived, and ends the wait for more: so it does for the disk and the other followers.
    private void handOn() {
        if (offer()) {
            leadership.flushForAcks();
            wakeSoon();
        }
    }

    private void offerAndWake() {
        if (offer()) {
            leadership.flushForAcks();
        }
        forRecords.wakeAll();
    }

    /// Looks whether more are coming.
    private void watch() {
        if (!watching && gathering.arrived() > 0) {
            watching = true;
            lookAgain(gathering.arrived(), LOOKS);
        }
    }

    private void lookAgain(int arrived, int looksLeft) {
        long pause =
                Math.clamp(roundNanos / LOOKS_PER_ROUND, SHORTEST_LOOK_NANOS, LONGEST_LOOK_NANOS);
        open.owner().schedule(Duration.ofNanos(pause), () -> look(arrived, looksLeft));
    }

    private void look(int arrived, int looksLeft) {
        int now = gathering.arrived();
        if (ended || now == 0) {
            watching = false;
        } else if (now > arrived && looksLeft > 1 && !gathering.isDue()) {
            lookAgain(now, looksLeft - 1);
        } else {
            watching = false;
            leadership.flushForAcks();
            if (!forRecords.isEmpty()) {
                offerAndWake();
            }
        }
    }

    /// The watermark may have moved.
    void moved() {
        if (role.safeWatermark() != watermarkTold) {
            watermarkTold = role.safeWatermark();
            forWatermark.wakeAll();
        }
    }

    /// They must look who leads now.
    void end() {
        ended = true;
        forRecords.wakeAll();
        forWatermark.wakeAll();
    }
}
