package io.sluice.partition;

import io.sluice.log.AppendResult;
import io.sluice.log.PartitionLog;
import io.sluice.record.PartitionId;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// This broker follows a leader for a term, or nobody: takes in what the leader answers, and asks for more when that is safe here.
///
/// The decisions are [FollowerRole]'s. Owned by its shard.
final class Followership implements Term {
    private static final Logger LOG = LoggerFactory.getLogger(Followership.class);

    private final OpenPartition open;
    private final PartitionLog log;
    private final PartitionId id;
    private final FollowerRole role;
    private final LostRecords lost;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(1);
    private boolean startMoves;

    /// Somebody who goes on when everything below the offset is safe.
    private record Waiting(long offset, Runnable safe, Consumer<FollowOutcome> otherwise) {}

    Followership(OpenPartition open, FollowerRole role) {
        this.open = open;
        this.log = open.log();
        this.id = open.id();
        this.role = role;
        this.lost = new LostRecords(open, role.leaderEpoch());
    }

    @Override
    public FollowerRole role() {
        return role;
    }

    private boolean isTerm(int leaderEpoch) {
        return role.leaderEpoch() == leaderEpoch;
    }

    private FollowOutcome.Stale stale() {
        return new FollowOutcome.Stale(role.leaderEpoch());
    }

    /// Where to go on. Nothing is claimed before it is safe, and nothing that is gone.
    void position(Consumer<Lookup<FetchPosition>> done) {
        Consumer<FollowOutcome> found =
                outcome ->
                        done.accept(
                                switch (outcome) {
                                    case FollowOutcome.Next(FetchPosition position) ->
                                            new Lookup.Found<>(position);
                                    case FollowOutcome.Failed(var why, String sentence) ->
                                            new Lookup.Failed<>(why, sentence);
                                    case FollowOutcome.Stale _ ->
                                            new Lookup.Failed<>(
                                                    Unavailable.NOT_LEADER,
                                                    id + " does not follow any more: " + outcome);
                                });
        goOn(found);
    }

    /// The epoch of the last batch, not of the last leader: one that wrote nothing left nothing to compare.
    private FetchPosition position() {
        if (lost.areThere()) {
            return lost.question();
        }
        return new FetchPosition(
                role.leaderEpoch(),
                log.endOffset(),
                log.leaderEpochs().epochAt(log.endOffset() - 1));
    }

    /// Takes in a leader's answer.
    void append(
            int leaderEpoch,
            ByteBuffer batches,
            long leadersWatermark,
            long leadersStart,
            Consumer<FollowOutcome> done) {
        if (!isTerm(leaderEpoch)) {
            done.accept(stale());
            return;
        }
        if (lost.areThere()) {
            lost.answered(done);
            return;
        }
        if (batches.hasRemaining()
                && log.appendAsFollower(batches)
                        instanceof AppendResult.Rejected(var reason, String sentence)) {
            LOG.error("{}: cannot take what its leader sent: {} {}", id, reason, sentence);
            if (reason == AppendResult.Reason.DISK_FULL) {
                open.doors().counters().appendsWithoutRoom.increment();
            }
            done.accept(new FollowOutcome.Failed(Unavailable.OFFLINE, sentence));
            if (log.offline() != null) {
                open.requestFlush(); // Tells everybody.
            }
            return;
        }
        learn(leadersWatermark);
        followStart(leadersStart);
        goOn(done);
    }

    /// Answers with the position when everything here is safe, and nobody counts on what is not.
    void goOn(Consumer<FollowOutcome> done) {
        Runnable next = () -> whenSafe(() -> done.accept(new FollowOutcome.Next(position())), done);
        if (lost.areThere()) {
            lost.uncount(next, done);
        } else {
            next.run();
        }
    }

    private void learn(long leadersWatermark) {
        long before = role.highWatermark();
        role.told(leadersWatermark, log.endOffset());
        if (role.highWatermark() != before) {
            open.progressed();
        }
    }

    /// Records that the leader has given up are given up here, as far as they are here.
    private void followStart(long leadersStart) {
        long start = Math.min(leadersStart, role.highWatermark());
        if (start > log.startOffset() && !startMoves) {
            startMoves = true;
            open.deleteBefore(
                    start,
                    outcome -> {
                        startMoves = false;
                        if (outcome instanceof DeleteOutcome.Failed(_, String sentence)) {
                            LOG.error("{}: its start cannot be moved: {}", id, sentence);
                        }
                    });
        }
    }

    private void whenSafe(Runnable safe, Consumer<FollowOutcome> otherwise) {
        if (log.durableOffset() >= log.endOffset()) {
            safe.run();
        } else if (open.isSafeInMemory()) {
            safe.run();
            open.host().flushLater();
        } else {
            waiting.add(new Waiting(log.endOffset(), safe, otherwise));
            open.requestFlush();
        }
    }

    @Override
    public void flushed(long durableOffset) {
        for (Waiting first = waiting.peek();
                first != null && first.offset() <= durableOffset;
                first = waiting.peek()) {
            waiting.poll();
            first.safe().run();
        }
    }

    /// Cuts what the leader does not have.
    void cut(int leaderEpoch, int leadersEpoch, long leadersEnd, Consumer<FollowOutcome> done) {
        if (!isTerm(leaderEpoch)) {
            done.accept(stale());
            return;
        }
        if (lost.areThere()) {
            lost.diverged(leadersEpoch, leadersEnd, target -> mayLose(target, done), done);
            return;
        }
        long target =
                FollowerRole.cutTarget(
                        log.leaderEpochs(), log.endOffset(), leadersEpoch, leadersEnd);
        if (target >= log.endOffset()) {
            goOn(done);
        } else if (mayLose(target, done)) {
            LOG.info(
                    "{}: cut from {} to {}, where it differs from its leader's log",
                    id,
                    log.endOffset(),
                    target);
            open.host().replaceLog(LogReplacement.Wish.cut(leaderEpoch, target), done);
        }
    }

    /// Begins anew at the leader's start.
    void restart(int leaderEpoch, long leadersStart, Consumer<FollowOutcome> done) {
        if (!isTerm(leaderEpoch)) {
            done.accept(stale());
        } else if (lost.areThere()) {
            lost.outOfRange(leadersStart, done);
        } else if (hasWhatGoesOnAt(leadersStart)) {
            goOn(done);
        } else if (isEmpty() || mayLose(leadersStart, done)) {
            LOG.info(
                    "{}: begins anew at {}; it ended at {}, and its leader has nothing older",
                    id,
                    leadersStart,
                    log.endOffset());
            open.host().replaceLog(LogReplacement.Wish.restart(leaderEpoch, leadersStart), done);
        }
    }

    /// Then nothing has to be given up: the answer that led to this was an old one.
    private boolean hasWhatGoesOnAt(long leadersStart) {
        return isEmpty() ? log.endOffset() == leadersStart : log.endOffset() >= leadersStart;
    }

    /// Whatever was committed here, nothing is left of it to lose.
    private boolean isEmpty() {
        return log.startOffset() == log.endOffset();
    }

    /// Committed records are on every leader, or the cluster is broken: then nothing is cut until a person has looked. Where a topic's owner
    /// has agreed to lose some, the leader is right.
    private boolean mayLose(long target, Consumer<FollowOutcome> done) {
        if (!role.wouldLose(target)) {
            return true;
        }
        if (open.isSafeInMemory() || log.settings().uncleanLeaderElection()) {
            LOG.warn(
                    "{}: its leader lacks the committed records from {} to {}; its topic allows that, they are given up here, too",
                    id,
                    target,
                    role.highWatermark());
            open.doors().counters().committedRecordsCut.add(role.highWatermark() - target);
            return true;
        }
        String sentence =
                "has committed records up to "
                        + role.highWatermark()
                        + ", its leader only up to "
                        + target
                        + ". Nothing was cut. Compare the replicas; if the leader is right, stop this broker, delete the folder "
                        + id
                        + " below log/ in its data directory, and start it again: the partition is copied anew.";
        done.accept(new FollowOutcome.Failed(Unavailable.OFFLINE, id + " " + sentence));
        open.host().mustNotGoOn(sentence);
        return false;
    }

    @Override
    public void settingsChanged() {}

    @Override
    public void diskFailed() {
        failAll(
                new FollowOutcome.Failed(
                        Unavailable.OFFLINE, "The disk failed before " + id + " was safe on it."));
    }

    @Override
    public void end() {
        failAll(stale());
    }

    private void failAll(FollowOutcome how) {
        for (Waiting one = waiting.poll(); one != null; one = waiting.poll()) {
            one.otherwise().accept(how);
        }
    }
}
