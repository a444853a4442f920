package io.sluice.controller;

import io.sluice.controller.InSyncAnswer.Flaw;
import io.sluice.controller.TopicOutcome.Reason;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

/// A leader's wishes for the in-sync sets of its partitions, with the leader waiting. Owned by the controller's mailbox.
final class InSyncRequest implements Request {
    private final int broker;
    private final long brokerEpoch;
    private final List<InSyncChange> asked;
    private final Mailbox home;
    private final Reply<List<InSyncAnswer>> reply = new Reply<>();
    private List<InSyncAnswer> answers = List.of();

    /// What a commit was decided for. It is decided again only when that one has met a conflict, or when nobody knows what became of it.
    private final BitSet attempted = new BitSet();

    InSyncRequest(int broker, long brokerEpoch, List<InSyncChange> asked, Mailbox home) {
        this.broker = broker;
        this.brokerEpoch = brokerEpoch;
        this.asked = List.copyOf(asked);
        this.home = home;
    }

    Reply<List<InSyncAnswer>> reply() {
        return reply;
    }

    @Override
    public boolean sharesACommit() {
        return true;
    }

    @Override
    public void decide(Draft draft, Circumstances circumstances) {
        decideAll(draft, circumstances);
        answers = IntStream.range(0, asked.size()).mapToObj(this::inDoubt).toList();
    }

    /// A commit of unknown outcome may have been made, or be made yet: then the leader must not hear that it was refused.
    private InSyncAnswer inDoubt(int position) {
        InSyncAnswer answer = answers.get(position);
        return attempted.get(position) && answer instanceof InSyncAnswer.Refused(_, String sentence)
                ? new InSyncAnswer.Refused(
                        Flaw.STORE_FAILED,
                        "It was perhaps written before it was to be refused: " + sentence)
                : answer;
    }

    private void decideAll(Draft draft, Circumstances circumstances) {
        ClusterView view = circumstances.view();
        if (view.brokerEpoch(broker) != brokerEpoch || !view.isLive(broker)) {
            boolean behind = brokerEpoch > view.brokerEpoch(broker);
            refuseAll(
                    behind ? Flaw.BEHIND : Flaw.STALE_BROKER_EPOCH,
                    "Broker "
                            + broker
                            + " asks in broker epoch "
                            + brokerEpoch
                            + "; the controller has admitted "
                            + (view.isLive(broker) ? view.brokerEpoch(broker) : "none")
                            + ".");
            return;
        }
        Map<UUID, List<Integer>> byTopic = new LinkedHashMap<>();
        for (int i = 0; i < asked.size(); i++) {
            byTopic.computeIfAbsent(asked.get(i).topicId(), _ -> new ArrayList<>()).add(i);
        }
        InSyncAnswer[] answered = new InSyncAnswer[asked.size()];
        byTopic.forEach((id, positions) -> decide(id, positions, answered, draft, circumstances));
        answers = List.of(answered);
    }

    private void decide(
            UUID id,
            List<Integer> positions,
            InSyncAnswer[] answered,
            Draft draft,
            Circumstances circumstances) {
        TopicPlan topic = circumstances.view().findTopic(id);
        if (topic == null) {
            fill(positions, answered, Flaw.UNKNOWN_PARTITION, "There is no topic " + id + ".");
            return;
        }
        List<PartitionPlan> partitions = new ArrayList<>(draft.partitions(topic));
        boolean changes = false;
        for (int position : positions) {
            InSyncChange change = asked.get(position);
            int index = change.partition();
            if (index < 0 || index >= partitions.size()) {
                answered[position] =
                        new InSyncAnswer.Refused(
                                Flaw.UNKNOWN_PARTITION,
                                "Topic '" + topic.name() + "' has no partition " + index + ".");
                continue;
            }
            InSyncChanges.Decision decision =
                    InSyncChanges.decide(
                            broker,
                            change,
                            partitions.get(index),
                            draft.rulesOf(topic),
                            circumstances.view(),
                            circumstances::isStaying);
            answered[position] = decision.answer();
            PartitionPlan changed = decision.changed();
            if (changed != null) {
                partitions.set(index, changed);
                attempted.set(position);
                changes = true;
            }
        }
        if (changes && !draft.put(topic, partitions)) {
            fill(positions, answered, Flaw.STORE_FAILED, "Too much at once: ask again.");
        }
    }

    private static void fill(
            List<Integer> positions, InSyncAnswer[] answered, Flaw flaw, String sentence) {
        for (int position : positions) {
            answered[position] = new InSyncAnswer.Refused(flaw, sentence);
        }
    }

    @Override
    public void done() {
        reply.completeOn(home, answers);
    }

    @Override
    public void refuse(Reason reason, String sentence) {
        refuseAll(
                reason == Reason.NOT_CONTROLLER ? Flaw.NOT_CONTROLLER : Flaw.STORE_FAILED,
                sentence);
        done();
    }

    private void refuseAll(Flaw flaw, String sentence) {
        List<InSyncAnswer> all = new ArrayList<>();
        asked.forEach(_ -> all.add(new InSyncAnswer.Refused(flaw, sentence)));
        answers = List.copyOf(all);
    }
}
