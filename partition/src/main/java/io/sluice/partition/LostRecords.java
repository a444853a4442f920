package io.sluice.partition;

import io.sluice.log.PartitionLog;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a follower does when records that were durable here are in no file any more: with the offsets behind that gap it would claim to have what it lacks.
///
/// ```
///   opened with a gap ── asks the controller ──▶ not counted ── asks the leader ──▶ that has all that lies behind the gap ──▶ cut at the gap, copied from there
///                                                       │                      └──▶ its log differs from what lies there ──▶ cut as any other, or left for a person
///                                                       └── nobody answers: nothing is touched
/// ```
/// First the plan stops counting this replica as in sync or eligible. That outlives whatever happens to this broker, which must not be forgotten: once it is cut the log is whole and only too short, and nothing here would tell.
/// It counts again when its leader has seen that it has everything. Then the leader is asked, since what lies behind the gap may be the last copy.
///
/// One for each term that follows. Owned by its shard.
final class LostRecords {
    private static final Logger LOG = LoggerFactory.getLogger(LostRecords.class);

    private final OpenPartition open;
    private final PartitionLog log;
    private final int leaderEpoch;

    /// The plan does not count this replica, and its leader takes it in only when it has caught up.
    private boolean uncounted;

    private boolean told;

    LostRecords(OpenPartition open, int leaderEpoch) {
        this.open = open;
        this.log = open.log();
        this.leaderEpoch = leaderEpoch;
    }

    boolean areThere() {
        return log.firstMissing() != PartitionLog.WHOLE;
    }

    /// Has the plan count without this replica, then goes on.
    void uncount(Runnable then, Consumer<FollowOutcome> otherwise) {
        if (uncounted) {
            then.run();
            return;
        }
        tell();
        Assignment plan = open.host().assignment();
        open.doors()
                .replication()
                .inSync()
                .propose(Resignation.withoutSelf(open, plan), open.owner())
                .then(
                        answer -> answered(plan, answer, then, otherwise),
                        failure -> otherwise.accept(notYet(String.valueOf(failure.getMessage()))));
    }

    private void tell() {
        if (!told) {
            told = true;
            LOG.error(
                    "{}: ends at {}, but has nothing from {} on, which was durable here; the controller is asked to count without it",
                    open.id(),
                    log.endOffset(),
                    log.firstMissing());
        }
    }

    private void answered(
            Assignment asked,
            InSyncDoor.Answer answer,
            Runnable then,
            Consumer<FollowOutcome> otherwise) {
        Assignment now = open.host().assignment();
        if (open.isOver() || now.leaderEpoch() != leaderEpoch) {
            otherwise.accept(new FollowOutcome.Stale(now.leaderEpoch()));
            return;
        }
        switch (answer) {
            case InSyncDoor.Answer.Accepted(var inSync, _) when !inSync.contains(asked.self()) -> {
                uncounted = true;
                then.run();
            }
            case InSyncDoor.Answer.Accepted(var inSync, _) ->
                    otherwise.accept(notYet("the plan still has " + inSync + " in sync"));
            case InSyncDoor.Answer.Refused(String sentence, _) ->
                    otherwise.accept(notYet(sentence));
            case InSyncDoor.Answer.Outdated(String sentence) -> otherwise.accept(notYet(sentence));
        }
    }

    private FollowOutcome.Failed notYet(String why) {
        return new FollowOutcome.Failed(
                Unavailable.OFFLINE,
                open.id() + " has lost records and may still be counted as in sync: " + why);
    }

    /// What the leader is asked. Where nothing lies behind the gap, for what comes next; otherwise how far its log goes in the epoch of the last batch here, which claims nothing.
    FetchPosition question() {
        long gap = log.firstMissing();
        return isAnythingBehind()
                ? new FetchPosition(
                        leaderEpoch, FetchPosition.BEHIND_ALL, epochAt(log.presentEnd()))
                : new FetchPosition(leaderEpoch, gap, epochAt(gap));
    }

    /// Of the last batch that ends there.
    private int epochAt(long end) {
        return log.leaderEpochs().epochAt(end - 1);
    }

    private boolean isAnythingBehind() {
        return log.presentEnd() > log.firstMissing();
    }

    /// The leader has answered what comes at the gap: where nothing else is here, nothing is given up.
    void answered(Consumer<FollowOutcome> done) {
        if (uncounted && !isAnythingBehind()) {
            cutAt(log.firstMissing(), done);
        } else {
            done.accept(notYet("its leader was asked something else"));
        }
    }

    /// The leader has nothing for what comes at the gap, and begins elsewhere.
    void outOfRange(long leadersStart, Consumer<FollowOutcome> done) {
        boolean isEmpty = log.firstMissing() <= log.startOffset();
        if (uncounted && !isAnythingBehind() && (isEmpty || leadersStart > log.firstMissing())) {
            tellOfCut(leadersStart);
            open.host().replaceLog(LogReplacement.Wish.restart(leaderEpoch, leadersStart), done);
        } else {
            answered(done);
        }
    }

    /// The leader has said where its log leaves what is here.
    ///
    /// @param mayLose whether this replica may give up what is at or behind an offset, though its leader does not have it
    void diverged(
            int leadersEpoch,
            long leadersEnd,
            LongPredicate mayLose,
            Consumer<FollowOutcome> done) {
        if (!uncounted || !isAnythingBehind()) {
            answered(done);
            return;
        }
        long end = log.presentEnd();
        long common = FollowerRole.cutTarget(log.leaderEpochs(), end, leadersEpoch, leadersEnd);
        if (common >= end || mayLose.test(common)) {
            cutAt(Math.min(common, log.firstMissing()), done);
        }
    }

    private void cutAt(long offset, Consumer<FollowOutcome> done) {
        tellOfCut(offset);
        open.host().replaceLog(LogReplacement.Wish.cut(leaderEpoch, offset), done);
    }

    private void tellOfCut(long offset) {
        LOG.error(
                "{}: is copied anew from {} on, instead of ending at {} with records in no file",
                open.id(),
                offset,
                log.endOffset());
    }
}
