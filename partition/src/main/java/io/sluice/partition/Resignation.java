package io.sluice.partition;

import io.sluice.log.PartitionLog;
import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A replica that was elected and finds that its disk has lost what was durable: it asks the controller for an in-sync set without itself.
///
/// ```
///   elected, offsets are missing ── asks ──▶ others may have them: the plan names another leader, or nobody until one of them is back
///                                       └──▶ nobody else has them: leads with what there is
/// ```
/// It serves nothing meanwhile: what it would write behind the gap, others would have to give up. Owned by its shard.
final class Resignation {
    private static final Logger LOG = LoggerFactory.getLogger(Resignation.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final OpenPartition open;
    private boolean asking;
    private boolean told;

    /// In which nobody else has what is missing here.
    private int epochAsTheLast = -1;

    Resignation(OpenPartition open) {
        this.open = open;
    }

    /// This plan's leader is here, and must not lead before the controller has said that nobody else can.
    boolean isDue(Assignment plan) {
        return plan.isLeaderHere()
                && !plan.isAlone()
                && plan.leaderEpoch() != epochAsTheLast
                && open.log().firstMissing() != PartitionLog.WHOLE;
    }

    /// Asks until the plan is another one, or says that this replica is the last.
    void look() {
        Assignment plan = open.host().assignment();
        if (asking || open.isOver() || !isDue(plan)) {
            return;
        }
        asking = true;
        tell();
        open.doors()
                .replication()
                .inSync()
                .propose(withoutSelf(open, plan), open.owner())
                .then(answer -> answered(plan, answer), _ -> lookAgain());
    }

    /// The plan's in-sync set without this broker, which no leader asks for that means to stay one.
    static InSyncProposal withoutSelf(OpenPartition open, Assignment plan) {
        SortedMap<Integer, Long> others = new TreeMap<>();
        for (int broker : plan.inSync()) {
            if (broker != plan.self()) {
                others.put(broker, open.doors().replication().brokers().of(broker));
            }
        }
        return new InSyncProposal(
                open.id(), open.host().topicId(), plan.leaderEpoch(), plan.change(), others);
    }

    private void tell() {
        if (!told) {
            told = true;
            LOG.error(
                    "{} is not led here if another replica can: records that were durable on this disk are in no file",
                    open.id());
        }
    }

    private void answered(Assignment asked, InSyncDoor.Answer answer) {
        boolean isLast =
                answer instanceof InSyncDoor.Answer.Accepted(var inSync, _)
                        && inSync.contains(asked.self());
        if (!isLast) {
            lookAgain();
            return;
        }
        asking = false;
        if (open.isOver() || open.host().assignment().leaderEpoch() != asked.leaderEpoch()) {
            return;
        }
        LOG.error(
                "{} is led here all the same: no other replica is known to have what is missing",
                open.id());
        epochAsTheLast = asked.leaderEpoch();
        open.host().leadAfterAll();
    }

    private void lookAgain() {
        open.owner()
                .schedule(
                        PAUSE,
                        () -> {
                            asking = false;
                            look();
                        });
    }
}
