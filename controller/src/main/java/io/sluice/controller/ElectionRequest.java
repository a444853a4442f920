package io.sluice.controller;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Other leaders, by order of an operator. Owned by the controller's mailbox.
final class ElectionRequest implements Request {
    private final ElectionKind kind;
    private final @Nullable List<PartitionId> asked;
    private final Mailbox home;
    private final Reply<List<PartitionAnswer>> reply = new Reply<>();
    private List<PartitionAnswer> answers = List.of();

    /// @param asked null for all partitions
    ElectionRequest(ElectionKind kind, @Nullable List<PartitionId> asked, Mailbox home) {
        this.kind = kind;
        this.asked = asked;
        this.home = home;
    }

    Reply<List<PartitionAnswer>> reply() {
        return reply;
    }

    @Override
    public void decide(Draft draft, Circumstances circumstances) {
        List<PartitionAnswer> answered = new ArrayList<>();
        List<PartitionId> named = asked;
        for (PartitionId id : named == null ? all(circumstances.view()) : named) {
            PartitionAnswer answer = decide(id, draft, circumstances);
            boolean telling =
                    answer.refused() == null
                            || answer.refused().reason() != Reason.ELECTION_NOT_NEEDED;
            if (named != null || telling) {
                answered.add(answer);
            }
        }
        answers = answered;
    }

    private PartitionAnswer decide(PartitionId id, Draft draft, Circumstances circumstances) {
        PartitionPlan plan = draft.partition(id);
        if (plan == null) {
            return PartitionAnswer.refuse(
                    id, Reason.UNKNOWN_PARTITION, "There is no partition " + id + ".");
        }
        boolean needed =
                switch (kind) {
                    case PREFERRED -> plan.leader() != plan.staying().getFirst();
                    case UNCLEAN -> !plan.hasLeader();
                };
        if (!needed) {
            return PartitionAnswer.refuse(
                    id,
                    Reason.ELECTION_NOT_NEEDED,
                    "Partition " + id + " is led by broker " + plan.leader() + ".");
        }
        PartitionPlan elected =
                switch (kind) {
                    case PREFERRED ->
                            Elections.preferred(
                                    plan,
                                    broker ->
                                            circumstances.isStaying(broker)
                                                    && !circumstances.view().isDiskFull(broker));
                    case UNCLEAN -> Elections.unclean(plan, circumstances::isStaying);
                };
        if (elected == null || elected.equals(plan)) {
            return PartitionAnswer.refuse(
                    id,
                    Reason.NO_LEADER_POSSIBLE,
                    "Of the replicas "
                            + plan.replicas()
                            + " of partition "
                            + id
                            + (kind == ElectionKind.PREFERRED
                                    ? " the first is not live and in sync, or its disk is full."
                                    : " none is live."));
        }
        return draft.put(id, elected)
                ? PartitionAnswer.done(id)
                : PartitionAnswer.refuse(id, Reason.BUSY, "Too much at once: ask again.");
    }

    private static List<PartitionId> all(ClusterView view) {
        List<PartitionId> all = new ArrayList<>();
        for (TopicPlan topic : view.topics()) {
            for (int i = 0; i < topic.partitions().size(); i++) {
                all.add(new PartitionId(topic.name(), i));
            }
        }
        return all;
    }

    @Override
    public void done() {
        reply.completeOn(home, answers);
    }

    @Override
    public void refuse(Reason reason, String sentence) {
        List<PartitionId> named = asked;
        List<PartitionAnswer> all = new ArrayList<>();
        (named == null ? List.<PartitionId>of() : named)
                .forEach(id -> all.add(PartitionAnswer.refuse(id, reason, sentence)));
        reply.completeOn(home, all);
    }
}
