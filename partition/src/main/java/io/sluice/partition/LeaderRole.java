package io.sluice.partition;

import io.sluice.partition.AckListener.Settled;
import io.sluice.record.Invariant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// A leader's view of one partition in one term: what is in its log, who has it safely, what may be read, who waits for an ack.
///
/// The **high watermark** is the end of what consumers may read. With other replicas it is what is safe here and on every one that is in sync, whatever its producer asked for: this broker
/// may come back from a power loss and lead again, and must then have what was read. The only replica follows the acks: a batch sent with `acks=all` becomes readable when it is
/// safe, one sent with less when it is in the log; so nobody reads a record that its producer could still be told was lost.
/// The **safe watermark** is what acks wait for, and what followers are told. Neither ever retreats.
///
/// The rules of KIP-101, 279, 320, 903 and 966: only fetches of this term count; the set that counts is the maximal one ([InSyncSet]); nothing moves while
/// fewer than `min.insync.replicas` are in sync; who wants into the set must have reached the watermark *and* the beginning of this term.
///
/// Owned by its shard. Pure: time comes in, disk and replies are the driver's.
final class LeaderRole implements Role {
    /// How long a leader waits after a proposal that led nowhere.
    static final long PROPOSAL_PAUSE_NANOS = 500_000_000L;

    private final int self;
    private final int leaderEpoch;
    private final long termStart;
    private final BrokerEpochs brokers;
    private final SortedMap<Integer, FollowerProgress> followers = new TreeMap<>();
    private final PendingAcks acks = new PendingAcks();
    private final Gathering gathering = new Gathering();
    private final InSyncSet inSync;

    /// The other members of the maximal set: the watermark is counted with every batch, the set changes seldom.
    private List<FollowerProgress> counted = List.of();

    private InSyncRules rules;
    private long endOffset;
    private long durableOffset;

    /// The end of the last batch whose producer waits for no more than this log.
    private long claimedEnd;

    private long highWatermark;
    private long safeWatermark;
    private long quietUntilNanos = Long.MIN_VALUE;

    /// Where the log stands when a term begins.
    ///
    /// @param termStart the first offset of the term
    /// @param highWatermark as known before; everything below is committed
    record Start(long termStart, long endOffset, long durableOffset, long highWatermark) {}

    LeaderRole(
            Assignment assignment,
            Start start,
            InSyncRules rules,
            BrokerEpochs brokers,
            long nowNanos) {
        this.self = assignment.self();
        this.leaderEpoch = assignment.leaderEpoch();
        this.termStart = start.termStart();
        this.rules = rules;
        this.brokers = brokers;
        this.inSync = new InSyncSet(assignment.inSync(), assignment.change());
        this.endOffset = start.endOffset();
        this.durableOffset = start.durableOffset();
        keepFollowers(assignment, nowNanos);
        this.highWatermark = start.highWatermark();
        this.safeWatermark = Math.min(highWatermark, safeHere());
        recount();
        advance();
    }

    private void keepFollowers(Assignment assignment, long nowNanos) {
        followers.keySet().retainAll(assignment.replicas());
        for (int replica : assignment.replicas()) {
            if (replica != self) {
                followers.computeIfAbsent(replica, _ -> new FollowerProgress(nowNanos));
            }
        }
    }

    /// The plan has changed within this term.
    void planned(Assignment assignment, long nowNanos) {
        keepFollowers(assignment, nowNanos);
        inSync.planned(assignment.inSync(), assignment.change());
        setChanged();
    }

    /// The set or its rules are others now: what had to wait for a member that left is committed, what needs more members than are left is not (KAFKA-13091).
    private void setChanged() {
        recount();
        if (lacksReplicas()) {
            acks.failAll(Settled.TOO_FEW_IN_SYNC);
        }
        advance();
    }

    private void recount() {
        List<FollowerProgress> others = new ArrayList<>(followers.size());
        for (int member : inSync.maximal()) {
            if (member != self) {
                FollowerProgress progress = followers.get(member);
                // One that is no replica has nothing, and nothing is committed without it.
                others.add(progress == null ? new FollowerProgress(0) : progress);
            }
        }
        counted = others;
    }

    void changeRules(InSyncRules changed) {
        rules = changed;
        setChanged();
    }

    /// A batch is in the log, ending at this offset.
    ///
    /// @param claimed its producer waits for no more than this log
    void appended(long newEndOffset, boolean claimed) {
        Invariant.check(
                newEndOffset >= endOffset, "the log's end went back", endOffset, newEndOffset);
        endOffset = newEndOffset;
        if (claimed) {
            claimedEnd = newEndOffset;
        }
        if (claimed || rules.safeInMemory()) {
            advance();
        }
    }

    /// True when everything below the offset is as safe as the topic promises.
    boolean isSafe(long offset) {
        return offset <= safeWatermark;
    }

    /// Somebody waits until that is so.
    void await(long offset, long nowNanos, long deadlineNanos, AckListener listener) {
        if (isSafe(offset)) {
            listener.onSettled(Settled.SAFE);
        } else {
            acks.add(offset, nowNanos, deadlineNanos, listener);
        }
    }

    /// An fsync came back.
    void flushed(long upTo) {
        Invariant.check(upTo <= endOffset, "durable beyond the log's end", endOffset, upTo);
        durableOffset = Math.max(durableOffset, upTo);
        advance();
    }

    /// Why this fetch counts for nothing, or null.
    @Nullable Unavailable fence(ReplicaFetch fetch) {
        if (fetch.leaderEpoch() != leaderEpoch) {
            return fetch.leaderEpoch() < leaderEpoch
                    ? Unavailable.FENCED_LEADER_EPOCH
                    : Unavailable.UNKNOWN_LEADER_EPOCH;
        }
        FollowerProgress progress = followers.get(fetch.replica());
        if (progress == null) {
            return Unavailable.NOT_LEADER; // Not of this replica: plans have yet to meet.
        }
        return fetch.brokerEpoch() < progress.brokerEpoch()
                        || fetch.brokerEpoch() < brokers.of(fetch.replica())
                ? Unavailable.STALE_BROKER_EPOCH
                : null;
    }

    /// A follower whose log is a prefix of this one asks for what comes next: everything below is safe there.
    ///
    /// @param offeredEnd how far it may read for now; who has all of that has caught up
    void fetched(ReplicaFetch fetch, long offeredEnd, long nowNanos) {
        FollowerProgress progress = followers.get(fetch.replica());
        if (progress != null) {
            progress.fetched(fetch.brokerEpoch(), fetch.offset(), offeredEnd, nowNanos);
            advance();
        }
    }

    private void advance() {
        if (inSync.size() < Math.min(rules.minInSync(), replicas())) {
            return; // KIP-966: what is committed now could be lost with the last one standing.
        }
        long others = safeElsewhere();
        long here = safeHere();
        // With followers, committed means durable on every member: this one may come back from a
        // power loss as an eligible leader.
        long readable = followers.isEmpty() ? Math.max(here, claimedEnd) : here;
        highWatermark = Math.max(highWatermark, Math.min(readable, others));
        if (Math.min(here, others) > safeWatermark) {
            safeWatermark = Math.min(here, others);
            int told = acks.settle(safeWatermark);
            if (told > 0) {
                gathering.answered(told, acks.size());
            }
        }
    }

    private long safeHere() {
        return rules.safeInMemory() ? endOffset : durableOffset;
    }

    /// What every other member of the maximal set has; -1 while one of them has not been heard of in this term.
    private long safeElsewhere() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < counted.size(); i++) {
            least = Math.min(least, counted.get(i).offset());
        }
        return least;
    }

    /// The disk failed, or the term is over: nobody who waits will get an ack.
    void failAcks(Settled how) {
        acks.failAll(how);
    }

    /// Tells those whose time is up.
    void expireAcks(long nowNanos) {
        acks.expire(nowNanos);
    }

    /// Nobody says any more that this broker leads, and another one may do so by now. Who has waited for followers since then or longer is sent to ask the others, who know; who asks a leader alone has nobody else.
    void doubt(long sinceNanos) {
        if (!counted.isEmpty()) {
            acks.giveUp(sinceNanos);
        }
    }

    long nextDeadline() {
        return acks.nextDeadline();
    }

    /// The set that the plan should have, with the brokers' epochs; null when it is as it should be, or has to wait. One that is returned counts as asked.
    ///
    /// Whoever has died while it was asked for is asked for no more: the watermark waits for it while that is in doubt, so that it would seem to have everything for ever.
    ///
    /// @param mayShrink whether those who fell behind are taken out, which is looked at now and then only
    @Nullable SortedMap<Integer, Long> propose(boolean mayShrink, long nowNanos) {
        if (inSync.isAsked() || nowNanos < quietUntilNanos) {
            return null;
        }
        SortedSet<Integer> wanted = new TreeSet<>(inSync.members());
        if (mayShrink) {
            wanted.removeIf(member -> member != self && fellBehind(member, nowNanos));
        }
        for (Integer replica : followers.keySet()) {
            boolean silent = mayShrink && fellBehind(replica, nowNanos);
            if (!inSync.contains(replica) && mayJoin(replica) && !silent) {
                wanted.add(replica);
            }
        }
        if (wanted.equals(inSync.members()) && !inSync.isInDoubt()) {
            return null;
        }
        inSync.propose(wanted);
        recount();
        return withEpochs(wanted);
    }

    private boolean fellBehind(int member, long nowNanos) {
        FollowerProgress progress = followers.get(member);
        return progress == null
                || progress.isBehindFor(rules.lagNanos(), endOffset, nowNanos)
                || (progress.isKnown() && rules.isTooFarBehind(endOffset - progress.offset()));
    }

    /// The watermark may lag behind what an earlier leader has committed; only the beginning of this term is sure to be behind that (KAFKA-7128).
    private boolean mayJoin(int replica) {
        FollowerProgress progress = followers.get(replica);
        return progress != null
                && progress.isKnown()
                && progress.offset() >= highWatermark
                && progress.offset() >= termStart
                && !rules.isTooFarBehind(endOffset - progress.offset())
                && progress.brokerEpoch() == brokers.of(replica);
    }

    private SortedMap<Integer, Long> withEpochs(SortedSet<Integer> wanted) {
        SortedMap<Integer, Long> epochs = new TreeMap<>();
        for (Integer member : wanted) {
            FollowerProgress progress = followers.get(member);
            epochs.put(
                    member,
                    progress != null && progress.isKnown()
                            ? progress.brokerEpoch()
                            : brokers.of(member));
        }
        return epochs;
    }

    /// The plan has taken a proposal in.
    void accepted(int proposedOn, List<Integer> members, int change) {
        if (inSync.accepted(proposedOn, members, change)) {
            setChanged();
        }
    }

    /// The plan has not taken a proposal in.
    void refused(int proposedOn, long nowNanos) {
        inSync.refused(proposedOn);
        quietUntilNanos = nowNanos + PROPOSAL_PAUSE_NANOS;
        recount();
        advance();
    }

    /// Nobody knows whether the plan has taken a proposal in.
    void unknown(int proposedOn, long nowNanos) {
        inSync.unknown(proposedOn);
        quietUntilNanos = nowNanos + PROPOSAL_PAUSE_NANOS;
    }

    /// True when `acks=all` cannot be promised now.
    boolean lacksReplicas() {
        return inSync.size() < rules.minInSync();
    }

    /// How many the partition has, this one among them.
    int replicas() {
        return followers.size() + 1;
    }

    boolean hasFollowers() {
        return !followers.isEmpty();
    }

    InSyncSet inSync() {
        return inSync;
    }

    Gathering gathering() {
        return gathering;
    }

    int minInSync() {
        return rules.minInSync();
    }

    long endOffset() {
        return endOffset;
    }

    /// What is safe here and on all others: followers may show it.
    long safeWatermark() {
        return safeWatermark;
    }

    @Override
    public int leaderEpoch() {
        return leaderEpoch;
    }

    @Override
    public long committedEnd() {
        return highWatermark;
    }

    @Override
    public long highWatermark() {
        return highWatermark;
    }
}
