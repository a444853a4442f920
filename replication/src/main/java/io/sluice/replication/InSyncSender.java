package io.sluice.replication;

import io.sluice.controller.Controller;
import io.sluice.controller.InSyncAnswer;
import io.sluice.controller.InSyncChange;
import io.sluice.env.Crossing;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.AlterPartitionRequest;
import io.sluice.kafka.wire.message.AlterPartitionRequest.BrokerState;
import io.sluice.kafka.wire.message.AlterPartitionRequest.PartitionData;
import io.sluice.kafka.wire.message.AlterPartitionRequest.TopicData;
import io.sluice.kafka.wire.message.AlterPartitionResponse;
import io.sluice.partition.InSyncDoor;
import io.sluice.partition.InSyncProposal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Carries the in-sync sets that leaders here propose to the controller: all of one turn in one request.
///
/// Thread-safe: proposals cross to the controller's mailbox, which owns the rest.
public final class InSyncSender implements InSyncDoor {
    private static final short VERSION = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final String WHAT = "A proposal of in-sync sets";

    private static final Set<ErrorCode> ASK_AGAIN =
            Set.of(
                    ErrorCode.STALE_BROKER_EPOCH,
                    ErrorCode.UNKNOWN_LEADER_EPOCH,
                    ErrorCode.INELIGIBLE_REPLICA);

    private static final Set<ErrorCode> IN_VAIN =
            Set.of(ErrorCode.UNKNOWN_TOPIC_ID, ErrorCode.INVALID_REQUEST);

    /// A newer plan will come. It may have come of this very proposal: a controller that was in doubt about its commit has tried again, and met it.
    private static final Set<ErrorCode> OUTDATED =
            Set.of(ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.INVALID_UPDATE_VERSION);

    private final Controller controller;
    private final Peers peers;
    private final int self;
    private final Mailbox owner;
    private final ReplicationCounters counters;
    private List<Waiting> gathered = new ArrayList<>();

    public InSyncSender(
            Controller controller,
            Peers peers,
            int self,
            Mailbox owner,
            ReplicationCounters counters) {
        this.controller = controller;
        this.peers = peers;
        this.self = self;
        this.owner = owner;
        this.counters = counters;
    }

    /// Somebody who waits; told once, whatever else goes wrong with those beside it.
    private static final class Waiting {
        private final InSyncProposal proposal;
        private final Mailbox home;
        private final Reply<Answer> reply = new Reply<>();
        private boolean told;

        Waiting(InSyncProposal proposal, Mailbox home) {
            this.proposal = proposal;
            this.home = home;
        }

        void answer(Answer answer) {
            if (!told) {
                told = true;
                reply.completeOn(home, answer);
            }
        }

        void fail(Throwable failure) {
            if (!told) {
                told = true;
                reply.failOn(home, failure);
            }
        }
    }

    @Override
    public Reply<Answer> propose(InSyncProposal proposal, Mailbox home) {
        Waiting waiting = new Waiting(proposal, home);
        owner.run(() -> gather(waiting));
        return waiting.reply;
    }

    private void gather(Waiting one) {
        gathered.add(one);
        if (gathered.size() == 1) {
            owner.post(this::send);
        }
    }

    private void send() {
        List<Waiting> batch = gathered;
        gathered = new ArrayList<>();
        counters.proposals.add(batch.size());
        Crossing.step(owner, WHAT, () -> send(batch), failure -> fail(batch, failure));
    }

    private static void fail(List<Waiting> batch, Throwable failure) {
        batch.forEach(one -> one.fail(failure));
    }

    private void send(List<Waiting> batch) {
        long epoch = controller.ownEpoch();
        int active = controller.view().controllerId();
        if (active == self) {
            sendHere(batch, epoch);
            return;
        }
        Crossing.land(
                peers.ask(active, request(batch, epoch), VERSION, PATIENCE),
                owner,
                WHAT,
                answer -> distribute(batch, (AlterPartitionResponse) answer),
                failure -> fail(batch, failure));
    }

    private void sendHere(List<Waiting> batch, long epoch) {
        List<InSyncChange> changes = new ArrayList<>(batch.size());
        for (Waiting one : batch) {
            InSyncProposal proposal = one.proposal;
            changes.add(
                    new InSyncChange(
                            proposal.topicId(),
                            proposal.id().index(),
                            proposal.leaderEpoch(),
                            proposal.change(),
                            proposal.inSync()));
        }
        Crossing.land(
                controller.alterInSync(self, epoch, changes, owner),
                owner,
                WHAT,
                answers -> {
                    for (int i = 0; i < batch.size(); i++) {
                        tell(batch.get(i), answers.get(i));
                    }
                },
                failure -> fail(batch, failure));
    }

    private void tell(Waiting one, InSyncAnswer answer) {
        switch (answer) {
            case InSyncAnswer.Accepted(_, _, var inSync, int change) ->
                    one.answer(new Answer.Accepted(inSync, change));
            case InSyncAnswer.Refused(var flaw, String sentence) -> {
                switch (flaw) {
                    case STALE_BROKER_EPOCH, BEHIND, INELIGIBLE_REPLICA ->
                            one.answer(refused(sentence, true));
                    case UNKNOWN_PARTITION, INVALID -> one.answer(refused(sentence, false));
                    case FENCED_LEADER_EPOCH, STALE_CHANGE -> one.answer(outdated(sentence));
                    case NOT_CONTROLLER, STORE_FAILED -> one.fail(new Undecided(sentence));
                }
            }
        }
    }

    private Answer refused(String sentence, boolean retry) {
        counters.proposalsRefused.increment();
        return new Answer.Refused(sentence, retry);
    }

    private Answer outdated(String sentence) {
        counters.proposalsRefused.increment();
        return new Answer.Outdated(sentence);
    }

    /// The controller has answered and does not know either: its office, or its connection to the store, ended with the commit under way, which may have been made.
    private static final class Undecided extends RuntimeException {
        Undecided(String sentence) {
            super(sentence, null, false, false); // By the hundred when a controller dies.
        }
    }

    private AlterPartitionRequest request(List<Waiting> batch, long epoch) {
        Map<UUID, List<PartitionData>> topics = new LinkedHashMap<>();
        for (Waiting one : batch) {
            InSyncProposal proposal = one.proposal;
            List<BrokerState> members = new ArrayList<>();
            proposal.inSync()
                    .forEach((broker, itsEpoch) -> members.add(new BrokerState(broker, itsEpoch)));
            topics.computeIfAbsent(proposal.topicId(), _ -> new ArrayList<>())
                    .add(
                            PartitionData.builder()
                                    .partitionIndex(proposal.id().index())
                                    .leaderEpoch(proposal.leaderEpoch())
                                    .newIsrWithEpochs(members)
                                    .partitionEpoch(proposal.change())
                                    .build());
        }
        List<TopicData> data = new ArrayList<>(topics.size());
        topics.forEach((id, partitions) -> data.add(new TopicData(id, partitions)));
        return new AlterPartitionRequest(self, epoch, data);
    }

    private record Place(UUID topic, int index) {}

    private void distribute(List<Waiting> batch, AlterPartitionResponse response) {
        ErrorCode whole = ErrorCode.find(response.errorCode());
        Map<Place, AlterPartitionResponse.PartitionData> answers = new HashMap<>();
        for (AlterPartitionResponse.TopicData topic : response.topics()) {
            for (AlterPartitionResponse.PartitionData partition : topic.partitions()) {
                answers.put(new Place(topic.topicId(), partition.partitionIndex()), partition);
            }
        }
        for (Waiting one : batch) {
            InSyncProposal proposal = one.proposal;
            AlterPartitionResponse.PartitionData answer =
                    answers.get(new Place(proposal.topicId(), proposal.id().index()));
            if (whole != ErrorCode.NONE) {
                refuse(one, whole);
            } else if (answer == null) {
                one.fail(new Undecided("The controller has not answered for it."));
            } else if (answer.errorCode() == ErrorCode.NONE.id()) {
                one.answer(new Answer.Accepted(answer.isr(), answer.partitionEpoch()));
            } else {
                refuse(one, ErrorCode.find(answer.errorCode()));
            }
        }
    }

    /// Only what is known to say that nothing was written is a refusal. Whatever else goes wrong at a controller may go wrong behind the commit: a leader that took it for a refusal would
    /// commit without a replica that the plan counts as in sync.
    private void refuse(Waiting one, @Nullable ErrorCode error) {
        String sentence = "The controller answered " + error + ".";
        if (error != null && ASK_AGAIN.contains(error)) {
            one.answer(refused(sentence, true));
        } else if (error != null && IN_VAIN.contains(error)) {
            one.answer(refused(sentence, false));
        } else if (error != null && OUTDATED.contains(error)) {
            one.answer(outdated(sentence));
        } else {
            one.fail(new Undecided(sentence));
        }
    }
}
