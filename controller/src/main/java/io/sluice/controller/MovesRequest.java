package io.sluice.controller;

import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.record.PartitionId;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Moves that somebody asks for or takes back. They are queued; the controller begins them, so many at a time. Owned by the controller's mailbox.
final class MovesRequest implements Request {
    private final List<MoveRequest> asked;
    private final Mailbox home;
    private final Reply<List<PartitionAnswer>> reply = new Reply<>();
    private List<PartitionAnswer> answers = List.of();

    MovesRequest(List<MoveRequest> asked, Mailbox home) {
        this.asked = List.copyOf(asked);
        this.home = home;
    }

    Reply<List<PartitionAnswer>> reply() {
        return reply;
    }

    @Override
    public void decide(Draft draft, Circumstances circumstances) {
        List<PartitionAnswer> answered = new ArrayList<>();
        SortedMap<String, Integer> fewest = new TreeMap<>();
        for (MoveRequest one : asked) {
            answered.add(decide(one, draft, circumstances));
            if (one.replicas() != null) {
                fewest.merge(one.partition().topic(), one.replicas().size(), Math::min);
            }
        }
        answers = answered;
        fewest.forEach((topic, replicas) -> warn(draft.base().findTopic(topic), replicas));
    }

    private static void warn(@Nullable TopicPlan topic, int replicas) {
        if (topic != null) {
            PlanNews.tellOfMinInSync(topic.name(), topic.rules(), replicas);
        }
    }

    private static PartitionAnswer decide(
            MoveRequest one, Draft draft, Circumstances circumstances) {
        PartitionId id = one.partition();
        TopicPlan topic = draft.base().findTopic(id.topic());
        PartitionPlan plan = draft.partition(id);
        if (topic == null || plan == null) {
            return PartitionAnswer.refuse(
                    id, Reason.UNKNOWN_PARTITION, "There is no partition " + id + ".");
        }
        List<Integer> target = one.replicas();
        if (target == null) {
            return takeBack(id, plan, topic, draft, circumstances);
        }
        String flaw = Moves.flaw(target, circumstances.view());
        if (flaw != null) {
            return PartitionAnswer.refuse(id, Reason.INVALID_ASSIGNMENT, flaw);
        }
        return draft.queue(topic, id.index(), target) ? PartitionAnswer.done(id) : tooMuch(id);
    }

    /// One commit takes so many only.
    private static PartitionAnswer tooMuch(PartitionId id) {
        return PartitionAnswer.refuse(id, Reason.BUSY, "Too much at once: ask again.");
    }

    private static PartitionAnswer takeBack(
            PartitionId id,
            PartitionPlan plan,
            TopicPlan topic,
            Draft draft,
            Circumstances circumstances) {
        boolean waited = draft.moves(topic).containsKey(id.index());
        if (waited && !draft.queue(topic, id.index(), null)) {
            return tooMuch(id);
        }
        if (!plan.isMoving()) {
            return waited
                    ? PartitionAnswer.done(id)
                    : PartitionAnswer.refuse(
                            id, Reason.NO_MOVE, "Partition " + id + " is not being moved.");
        }
        PartitionPlan back = Moves.takeBack(plan, circumstances::isStaying);
        if (back == null) {
            return PartitionAnswer.refuse(
                    id,
                    Reason.NO_LEADER_POSSIBLE,
                    "Of partition "
                            + id
                            + " only new replicas are in sync and live; taking the move back would lose data. Wait until an old one is back.");
        }
        return draft.put(id, back) ? PartitionAnswer.done(id) : tooMuch(id);
    }

    @Override
    public void done() {
        reply.completeOn(home, answers);
    }

    @Override
    public void refuse(Reason reason, String sentence) {
        List<PartitionAnswer> all = new ArrayList<>();
        asked.forEach(one -> all.add(PartitionAnswer.refuse(one.partition(), reason, sentence)));
        reply.completeOn(home, all);
    }

    /// Moves that the controller itself proposes, unless only the proposal is wanted: as many as one commit takes.
    static final class Rebalancing implements Request {
        private final boolean proposeOnly;
        private final Mailbox home;
        private final Reply<List<MoveRequest>> reply = new Reply<>();
        private List<MoveRequest> moves = List.of();

        Rebalancing(boolean proposeOnly, Mailbox home) {
            this.proposeOnly = proposeOnly;
            this.home = home;
        }

        Reply<List<MoveRequest>> reply() {
            return reply;
        }

        @Override
        public void decide(Draft draft, Circumstances circumstances) {
            List<MoveRequest> proposed =
                    Rebalance.propose(circumstances.view(), circumstances.placement());
            moves =
                    proposeOnly
                            ? proposed
                            : proposed.stream().filter(move -> queue(move, draft)).toList();
        }

        private static boolean queue(MoveRequest move, Draft draft) {
            TopicPlan topic = draft.base().findTopic(move.partition().topic());
            List<Integer> target = move.replicas();
            return topic != null
                    && target != null
                    && draft.queue(topic, move.partition().index(), target);
        }

        @Override
        public void done() {
            reply.completeOn(home, moves);
        }

        @Override
        public void refuse(Reason reason, String sentence) {
            home.run(() -> reply.fail(new IllegalStateException(sentence)));
        }
    }
}
