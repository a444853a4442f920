package io.sluice.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.controller.ClusterView;
import io.sluice.controller.Controller;
import io.sluice.controller.ControllerDoors;
import io.sluice.controller.ControllerSettings;
import io.sluice.controller.Probe;
import io.sluice.controller.TopicPlanner;
import io.sluice.controller.TopicRules;
import io.sluice.env.Coordination;
import io.sluice.env.Crossing;
import io.sluice.env.Mailbox;
import io.sluice.env.Reply;
import io.sluice.kafka.wire.ErrorCode;
import io.sluice.kafka.wire.message.AlterPartitionRequest;
import io.sluice.kafka.wire.message.AlterPartitionResponse;
import io.sluice.partition.InSyncDoor.Answer;
import io.sluice.partition.InSyncProposal;
import io.sluice.partition.ManualTime;
import io.sluice.record.PartitionId;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Proposals of a turn go to the controller together, and everybody hears how theirs has ended.
class InSyncSenderTest {
    private static final UUID TOPIC = new UUID(4, 4);

    private final ManualTime time = new ManualTime();
    private final Mailbox owner = time.mailbox();
    private final Mailbox shard = time.mailbox();
    private final ScriptedNetwork network = new ScriptedNetwork();
    private boolean bookHasABug;
    private final Peers peers = new Peers("test", network, time, owner, this::find, (_, _) -> {});
    private final ReplicationCounters counters = new ReplicationCounters();
    private final InSyncSender sender = new InSyncSender(notStarted(), peers, 1, owner, counters);

    /// It knows nobody, so that proposals go to whomever the book has under that number.
    private Controller notStarted() {
        return new Controller(
                new ControllerDoors(
                        new Untouched(),
                        time,
                        () -> 7,
                        owner,
                        List.of(),
                        (_, _) -> Reply.of(Probe.Result.SILENT)),
                new TopicPlanner(new TopicPlanner.Defaults(1, 1), _ -> TopicRules.DEFAULT),
                (_, _, _) -> Reply.of(0),
                ControllerSettings.defaults());
    }

    /// The store of a controller that was not started.
    private static final class Untouched implements Coordination {
        @Override
        public Reply<SortedMap<String, Node>> load(Mailbox home, String path) {
            throw new AssertionError(path);
        }

        @Override
        public Reply<Outcome> commit(Mailbox home, List<Change> changes) {
            throw new AssertionError(changes);
        }

        @Override
        public void watch(Mailbox home, Watcher watcher) {
            throw new AssertionError();
        }
    }

    private @Nullable PeerAddress find(int broker) {
        if (bookHasABug) {
            throw new IllegalStateException("a bug");
        }
        return broker == ClusterView.NOBODY ? new PeerAddress(broker, "controller", 9092) : null;
    }

    private static InSyncProposal proposal(int index) {
        return new InSyncProposal(
                new PartitionId("t", index), TOPIC, 3, 5, new TreeMap<>(Map.of(1, 11L)));
    }

    private static AlterPartitionResponse accepted(int... indexes) {
        List<AlterPartitionResponse.PartitionData> partitions =
                Arrays.stream(indexes)
                        .mapToObj(
                                index ->
                                        AlterPartitionResponse.PartitionData.builder()
                                                .partitionIndex(index)
                                                .errorCode(ErrorCode.NONE.id())
                                                .isr(List.of(1))
                                                .partitionEpoch(6)
                                                .build())
                        .toList();
        return AlterPartitionResponse.builder()
                .topics(List.of(new AlterPartitionResponse.TopicData(TOPIC, partitions)))
                .build();
    }

    @Test
    void proposalsOfATurnShareARequestAndEachHasItsAnswer() {
        Reply<Answer> first = sender.propose(proposal(0), shard);
        Reply<Answer> second = sender.propose(proposal(1), shard);
        time.turn();
        AlterPartitionRequest asked = network.last().next(AlterPartitionRequest.class);
        assertThat(asked.topics().getFirst().partitions()).hasSize(2);
        network.last().answer(accepted(1, 0));
        time.turn();
        assertThat(first.value()).isEqualTo(new Answer.Accepted(List.of(1), 6));
        assertThat(second.value()).isEqualTo(new Answer.Accepted(List.of(1), 6));
    }

    /// Else the leader would wait for ever, and never propose anything for that partition again.
    @Test
    void aBugOnTheWayOutIsToldToEverybodyWhoWaits() {
        bookHasABug = true;
        Reply<Answer> first = sender.propose(proposal(0), shard);
        Reply<Answer> second = sender.propose(proposal(1), shard);
        assertThatThrownBy(time::turn).isInstanceOf(Crossing.Unfinished.class);
        time.turn();
        assertThat(first.isFailed()).isTrue();
        assertThat(second.isFailed()).isTrue();
        bookHasABug = false;
        Reply<Answer> next = sender.propose(proposal(0), shard);
        time.turn();
        network.last().answer(accepted(0));
        time.turn();
        assertThat(next.value()).isInstanceOf(Answer.Accepted.class);
    }

    @Test
    void aBugWithOneAnswerIsToldToThoseBehindIt() {
        sender.propose(proposal(0), new Broken());
        Reply<Answer> second = sender.propose(proposal(1), shard);
        time.turn();
        network.last().answer(accepted(0, 1));
        assertThatThrownBy(time::turn).isInstanceOf(Crossing.Unfinished.class);
        time.turn();
        assertThat(second.isFailed()).isTrue();
    }

    /// A mailbox that nothing can be posted to.
    private static final class Broken implements Mailbox {
        @Override
        public void post(Runnable work) {
            throw new IllegalStateException("a bug");
        }

        @Override
        public boolean isCurrent() {
            return false;
        }

        @Override
        public Timer schedule(Duration delay, Runnable work) {
            throw new IllegalStateException("a bug");
        }
    }

    private static AlterPartitionResponse refused(int index, ErrorCode error) {
        AlterPartitionResponse.PartitionData partition =
                AlterPartitionResponse.PartitionData.builder()
                        .partitionIndex(index)
                        .errorCode(error.id())
                        .build();
        return AlterPartitionResponse.builder()
                .topics(List.of(new AlterPartitionResponse.TopicData(TOPIC, List.of(partition))))
                .build();
    }

    /// A controller that loses its office or its store with the commit under way cannot know whether that was made. A leader that took this for a refusal would go on to commit without a replica
    /// that the plan may count as in sync by now.
    @ParameterizedTest
    @EnumSource(names = {"NOT_CONTROLLER", "KAFKA_STORAGE_ERROR", "UNKNOWN_SERVER_ERROR"})
    void whatTheControllerDoesNotKnowIsNoRefusal(ErrorCode error) {
        Reply<Answer> ofAll = sender.propose(proposal(0), shard);
        time.turn();
        network.last().answer(AlterPartitionResponse.builder().errorCode(error.id()).build());
        time.turn();
        assertThat(ofAll.isFailed()).isTrue();
        Reply<Answer> ofOne = sender.propose(proposal(0), shard);
        time.turn();
        network.last().answer(refused(0, error));
        time.turn();
        assertThat(ofOne.isFailed()).isTrue();
        assertThat(counters.proposalsRefused.sum()).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "STALE_BROKER_EPOCH",
                "UNKNOWN_LEADER_EPOCH",
                "INELIGIBLE_REPLICA",
                "UNKNOWN_TOPIC_ID",
                "INVALID_REQUEST"
            })
    void whatTheControllerHasRefusedIsARefusal(ErrorCode error) {
        Reply<Answer> reply = sender.propose(proposal(0), shard);
        time.turn();
        network.last().answer(refused(0, error));
        time.turn();
        assertThat(reply.value()).isInstanceOf(Answer.Refused.class);
    }

    /// The newer plan may have come of this proposal: the controller's commit was in doubt, was made all the same, and met itself when it was tried again.
    @ParameterizedTest
    @EnumSource(names = {"FENCED_LEADER_EPOCH", "INVALID_UPDATE_VERSION"})
    void aNewerPlanIsNoRefusal(ErrorCode error) {
        Reply<Answer> reply = sender.propose(proposal(0), shard);
        time.turn();
        network.last().answer(refused(0, error));
        time.turn();
        assertThat(reply.value()).isInstanceOf(Answer.Outdated.class);
    }

    @Test
    void aProposalThatIsNotAnsweredIsInDoubt() {
        Reply<Answer> reply = sender.propose(proposal(0), shard);
        time.turn();
        network.last().answer(accepted(1));
        time.turn();
        assertThat(reply.isFailed()).isTrue();
    }

    @Test
    void withoutAnAnswerEverybodyIsTold() {
        Reply<Answer> reply = sender.propose(proposal(0), shard);
        time.turn();
        network.last().breakOff(false);
        time.turn();
        assertThat(reply.failure()).isInstanceOf(PeerFailure.class);
    }
}
