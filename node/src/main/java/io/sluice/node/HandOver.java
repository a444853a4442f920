package io.sluice.node;

import io.sluice.controller.ClusterView;
import io.sluice.controller.PartitionPlan;
import io.sluice.controller.TopicPlan;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// How a broker that wants to stop ceases to lead, so that its clients learn from it who leads instead of finding a closed door.
///
/// ```
///   the controller lets it go ──▶ its own view says so ──▶ every shard has heard of it ──▶ it lingers ──▶ done
/// ```
/// The controller's answer may be here before the plan that it speaks of. Until that has come, requests are taken by a leader that is none any more, and whoever closes then leaves them without an answer.
/// While it lingers, clients are told who leads: otherwise they find out by asking the others, after a pause.
///
/// Owned by the controller's mailbox.
final class HandOver {
    static final Duration LINGER = Duration.ofMillis(250);

    /// Without the store there is no news, and nothing to wait for.
    static final Duration NEWS_LIMIT = Duration.ofSeconds(2);

    private final int self;
    private final Set<PartitionId> led;
    private final Mailbox owner;
    private final List<? extends Mailbox> shards;
    private final Reply<Boolean> done = new Reply<>();
    private boolean letGo;
    private boolean heard;
    private int shardsToHear;

    /// @param view in which it begins
    HandOver(int self, ClusterView view, Mailbox owner, List<? extends Mailbox> shards) {
        this.self = self;
        this.led = ledBy(self, view);
        this.owner = owner;
        this.shards = shards;
    }

    /// Completes on the owner's thread: false when it could not all be handed over.
    Reply<Boolean> done() {
        return done;
    }

    /// The controller has answered, or was not to be found.
    void answered(boolean handedOver, ClusterView view) {
        if (!handedOver) {
            end(false);
            return;
        }
        letGo = true;
        owner.schedule(NEWS_LIMIT, () -> end(true));
        look(view);
    }

    void failed(Throwable failure) {
        if (!done.isDone()) {
            done.fail(failure);
        }
    }

    /// A new view, which those who lead have been told of before.
    void look(ClusterView view) {
        if (!letGo || heard || stillLeads(view)) {
            return;
        }
        heard = true;
        boolean worthWhile = othersLead(view);
        shardsToHear = shards.size();
        for (Mailbox shard : shards) {
            shard.post(() -> owner.post(() -> shardHasHeard(worthWhile)));
        }
    }

    private void shardHasHeard(boolean worthWhile) {
        shardsToHear--;
        if (shardsToHear > 0) {
            return;
        }
        if (worthWhile) {
            owner.schedule(LINGER, () -> end(true));
        } else {
            end(true);
        }
    }

    private void end(boolean handedOver) {
        if (!done.isDone()) {
            done.complete(handedOver);
        }
    }

    /// What nobody else can lead it keeps until it is gone.
    private boolean stillLeads(ClusterView view) {
        for (PartitionId id : ledBy(self, view)) {
            PartitionPlan plan = view.findPartition(id);
            if (plan != null && plan.inSync().stream().anyMatch(one -> couldLead(one, view))) {
                return true;
            }
        }
        return false;
    }

    private boolean couldLead(int broker, ClusterView view) {
        return broker != self && view.isLive(broker);
    }

    private boolean othersLead(ClusterView view) {
        for (PartitionId id : led) {
            PartitionPlan plan = view.findPartition(id);
            if (plan != null && plan.hasLeader() && plan.leader() != self) {
                return true;
            }
        }
        return false;
    }

    private static Set<PartitionId> ledBy(int broker, ClusterView view) {
        Set<PartitionId> ids = new HashSet<>();
        for (TopicPlan topic : view.topics()) {
            for (int index = 0; index < topic.partitions().size(); index++) {
                if (topic.partitions().get(index).leader() == broker) {
                    ids.add(new PartitionId(topic.name(), index));
                }
            }
        }
        return ids;
    }
}
